; Tiles slide into the one empty position.
(define (domain n-puzzle-typed)
 (:requirements :strips :typing)
 (:types position tile - object)
 (:predicates
  (at ?tile - tile ?position - position)
  (neighbor ?here - position ?there - position)
  (empty ?position - position))

 (:action move
  :parameters (?tile - tile ?from - position ?to - position)
  :precondition (and (at ?tile ?from) (empty ?to) (neighbor ?from ?to))
  :effect (and (at ?tile ?to) (empty ?from)
   (not (at ?tile ?from)) (not (empty ?to)))))
