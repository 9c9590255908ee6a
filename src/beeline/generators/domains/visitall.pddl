; A robot that walks from place to place.
(define (domain grid-visit-all)
 (:requirements :strips :typing)
 (:types place - object)
 (:predicates
  (connected ?from - place ?to - place)
  (at-robot ?place - place)
  (visited ?place - place))

 (:action move
  :parameters (?from - place ?to - place)
  :precondition (and (at-robot ?from) (connected ?from ?to))
  :effect (and (at-robot ?to) (visited ?to) (not (at-robot ?from)))))
