; A walk through a maze. Who steps on one end of a teleport may go on to the other end at once.
(define (domain maze)
 (:requirements :strips :typing :equality)
 (:types cell direction teleport - object)
 (:constants down up left right - direction)
 (:predicates
  (at ?cell - cell)
  (adjacent ?here - cell ?there - cell ?direction - direction)
  (end ?cell - cell ?teleport - teleport))

 (:action step
  :parameters (?from - cell ?to - cell ?direction - direction)
  :precondition (and (at ?from) (adjacent ?from ?to ?direction))
  :effect (and (at ?to) (not (at ?from))))

 (:action jump
  :parameters (?from - cell ?door - cell ?to - cell ?direction - direction
   ?teleport - teleport)
  :precondition (and (at ?from) (adjacent ?from ?door ?direction)
   (end ?door ?teleport) (end ?to ?teleport)
   (not (= ?door ?to)) (not (= ?from ?to)))
  :effect (and (at ?to) (not (at ?from)))))
