; A caretaker walks through a house and turns off lamps: negative preconditions, a goal for all.
(define (domain lights)
  (:requirements :strips :typing :negative-preconditions :universal-preconditions)
  (:types room)
  (:predicates
    (door ?from ?to - room)
    (in ?r - room)
    (lit ?r - room)
    (asleep))

  (:action walk
    :parameters (?from ?to - room)
    :precondition (and (not (asleep)) (in ?from) (door ?from ?to))
    :effect (and (in ?to) (not (in ?from))))

  (:action turn-off
    :parameters (?r - room)
    :precondition (and (not (asleep)) (in ?r) (lit ?r))
    :effect (not (lit ?r)))

  (:action go-to-sleep
    :parameters (?r - room)
    :precondition (and (in ?r) (not (lit ?r)))
    :effect (asleep)))
