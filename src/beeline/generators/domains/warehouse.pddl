; A robot that pushes boxes, which are all alike, and cannot pull them.
(define (domain warehouse)
 (:requirements :strips :typing)
 (:types location direction - object)
 (:constants down up left right - direction)
 (:predicates
  (at-robot ?place - location)
  (box ?place - location)
  (clear ?place - location)             ; no box is here; the robot may be
  (adjacent ?here - location ?there - location ?direction - direction))

 (:action move
  :parameters (?from - location ?to - location ?direction - direction)
  :precondition (and (at-robot ?from) (clear ?to) (adjacent ?from ?to ?direction))
  :effect (and (at-robot ?to) (not (at-robot ?from))))

 (:action push
  :parameters (?robot - location ?from - location ?to - location ?direction - direction)
  :precondition (and (at-robot ?robot) (box ?from) (clear ?to)
   (adjacent ?robot ?from ?direction) (adjacent ?from ?to ?direction))
  :effect (and (at-robot ?from) (box ?to) (clear ?from)
   (not (at-robot ?robot)) (not (box ?from)) (not (clear ?to)))))
