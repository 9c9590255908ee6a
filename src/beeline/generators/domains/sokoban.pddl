; A robot that pushes boxes and cannot pull them.
(define (domain sokoban)
 (:requirements :strips :typing)
 (:types location direction box - object)
 (:constants down up left right - direction)
 (:predicates
  (at-robot ?place - location)
  (at ?box - box ?place - location)
  (adjacent ?here - location ?there - location ?direction - direction)
  (clear ?place - location))            ; no box is here; the robot may be

 (:action move
  :parameters (?from - location ?to - location ?direction - direction)
  :precondition (and (at-robot ?from) (clear ?to) (adjacent ?from ?to ?direction))
  :effect (and (at-robot ?to) (not (at-robot ?from))))

 (:action push
  :parameters (?robot - location ?from - location ?to - location
   ?direction - direction ?box - box)
  :precondition (and (at-robot ?robot) (at ?box ?from) (clear ?to)
   (adjacent ?robot ?from ?direction) (adjacent ?from ?to ?direction))
  :effect (and (at-robot ?from) (at ?box ?to) (clear ?from)
   (not (at-robot ?robot)) (not (at ?box ?from)) (not (clear ?to)))))
