; Vehicles of limited capacity on roads.
(define (domain transport)
 (:requirements :strips :typing)
 (:types
  size location locatable - object
  vehicle package - locatable)
 (:predicates
  (road ?from - location ?to - location)
  (at ?thing - locatable ?place - location)
  (in ?package - package ?vehicle - vehicle)
  (capacity ?vehicle - vehicle ?left - size)            ; room for so many more
  (capacity-predecessor ?less - size ?more - size))

 (:action drive
  :parameters (?vehicle - vehicle ?from - location ?to - location)
  :precondition (and (at ?vehicle ?from) (road ?from ?to))
  :effect (and (at ?vehicle ?to) (not (at ?vehicle ?from))))

 (:action pick-up
  :parameters (?vehicle - vehicle ?place - location ?package - package
   ?less - size ?more - size)
  :precondition (and (at ?vehicle ?place) (at ?package ?place)
   (capacity ?vehicle ?more) (capacity-predecessor ?less ?more))
  :effect (and (in ?package ?vehicle) (capacity ?vehicle ?less)
   (not (at ?package ?place)) (not (capacity ?vehicle ?more))))

 (:action drop
  :parameters (?vehicle - vehicle ?place - location ?package - package
   ?less - size ?more - size)
  :precondition (and (at ?vehicle ?place) (in ?package ?vehicle)
   (capacity ?vehicle ?less) (capacity-predecessor ?less ?more))
  :effect (and (at ?package ?place) (capacity ?vehicle ?more)
   (not (in ?package ?vehicle)) (not (capacity ?vehicle ?less)))))
