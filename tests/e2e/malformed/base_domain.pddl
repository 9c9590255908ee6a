(define (domain courier)
 (:requirements :strips :typing :negative-preconditions :action-costs)
 (:types place truck parcel)
 (:constants depot - place)
 (:predicates (road ?from ?to - place) (at ?t - truck ?p - place)
  (lies ?x - parcel ?p - place) (in ?x - parcel ?t - truck) (closed))
 (:functions (total-cost) - number (distance ?from ?to - place) - number)
 (:action drive
  :parameters (?t - truck ?from ?to - place)
  :precondition (and (at ?t ?from) (road ?from ?to) (not (closed)))
  :effect (and (at ?t ?to) (not (at ?t ?from)) (increase (total-cost) (distance ?from ?to))))
 (:action load
  :parameters (?x - parcel ?t - truck ?p - place)
  :precondition (and (at ?t ?p) (lies ?x ?p))
  :effect (and (in ?x ?t) (not (lies ?x ?p)) (increase (total-cost) 1)))
 (:action unload
  :parameters (?x - parcel ?t - truck ?p - place)
  :precondition (and (at ?t ?p) (in ?x ?t))
  :effect (and (lies ?x ?p) (not (in ?x ?t)) (increase (total-cost) 1))))
