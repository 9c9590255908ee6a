; A robot carries keys, one at a time, through a grid in which some places are locked.
(define (domain grid)
 (:requirements :strips)
 (:predicates
  (conn ?here ?there)
  (key-shape ?key ?shape)
  (lock-shape ?place ?shape)
  (at ?key ?place)
  (at-robot ?place)
  (place ?place)
  (key ?key)
  (shape ?shape)
  (locked ?place)
  (holding ?key)
  (open ?place)
  (arm-empty))

 (:action unlock
  :parameters (?here ?there ?key ?shape)
  :precondition (and (place ?here) (place ?there) (key ?key) (shape ?shape)
   (at-robot ?here) (conn ?here ?there) (locked ?there) (holding ?key)
   (key-shape ?key ?shape) (lock-shape ?there ?shape))
  :effect (and (open ?there) (not (locked ?there))))

 (:action move
  :parameters (?from ?to)
  :precondition (and (place ?from) (place ?to)
   (at-robot ?from) (conn ?from ?to) (open ?to))
  :effect (and (at-robot ?to) (not (at-robot ?from))))

 (:action pickup
  :parameters (?place ?key)
  :precondition (and (place ?place) (key ?key)
   (at-robot ?place) (at ?key ?place) (arm-empty))
  :effect (and (holding ?key) (not (at ?key ?place)) (not (arm-empty))))

 (:action pickup-and-loose
  :parameters (?place ?new ?old)
  :precondition (and (place ?place) (key ?new) (key ?old)
   (at-robot ?place) (holding ?old) (at ?new ?place))
  :effect (and (holding ?new) (at ?old ?place)
   (not (holding ?old)) (not (at ?new ?place))))

 (:action putdown
  :parameters (?place ?key)
  :precondition (and (place ?place) (key ?key) (at-robot ?place) (holding ?key))
  :effect (and (at ?key ?place) (arm-empty) (not (holding ?key)))))
