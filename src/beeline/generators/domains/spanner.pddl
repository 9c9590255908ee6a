; A man walks a path that leads one way only, collects spanners, and tightens nuts at its end.
(define (domain spanner)
 (:requirements :strips :typing)
 (:types
  location locatable - object
  man nut spanner - locatable)
 (:predicates
  (at ?thing - locatable ?place - location)
  (carrying ?man - man ?spanner - spanner)
  (usable ?spanner - spanner)     ; a spanner serves once
  (link ?from - location ?to - location)
  (tightened ?nut - nut)
  (loose ?nut - nut))

 (:action walk
  :parameters (?from - location ?to - location ?man - man)
  :precondition (and (at ?man ?from) (link ?from ?to))
  :effect (and (at ?man ?to) (not (at ?man ?from))))

 (:action pickup_spanner
  :parameters (?place - location ?spanner - spanner ?man - man)
  :precondition (and (at ?man ?place) (at ?spanner ?place))
  :effect (and (carrying ?man ?spanner) (not (at ?spanner ?place))))

 (:action tighten_nut
  :parameters (?place - location ?spanner - spanner ?man - man ?nut - nut)
  :precondition (and (at ?man ?place) (at ?nut ?place) (carrying ?man ?spanner)
   (usable ?spanner) (loose ?nut))
  :effect (and (tightened ?nut) (not (loose ?nut)) (not (usable ?spanner)))))
