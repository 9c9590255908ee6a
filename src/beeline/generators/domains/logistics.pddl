; Packages travel by truck within a city and by airplane between cities.
(define (domain logistics-strips)
 (:requirements :strips)
 (:predicates
  (obj ?package)
  (truck ?truck)
  (location ?place)
  (airplane ?airplane)
  (city ?city)
  (airport ?place)
  (at ?thing ?place)
  (in ?package ?vehicle)
  (in-city ?place ?city))

 (:action load-truck
  :parameters (?package ?truck ?place)
  :precondition (and (obj ?package) (truck ?truck) (location ?place)
   (at ?truck ?place) (at ?package ?place))
  :effect (and (in ?package ?truck) (not (at ?package ?place))))

 (:action load-airplane
  :parameters (?package ?airplane ?place)
  :precondition (and (obj ?package) (airplane ?airplane) (location ?place)
   (at ?airplane ?place) (at ?package ?place))
  :effect (and (in ?package ?airplane) (not (at ?package ?place))))

 (:action unload-truck
  :parameters (?package ?truck ?place)
  :precondition (and (obj ?package) (truck ?truck) (location ?place)
   (at ?truck ?place) (in ?package ?truck))
  :effect (and (at ?package ?place) (not (in ?package ?truck))))

 (:action unload-airplane
  :parameters (?package ?airplane ?place)
  :precondition (and (obj ?package) (airplane ?airplane) (location ?place)
   (at ?airplane ?place) (in ?package ?airplane))
  :effect (and (at ?package ?place) (not (in ?package ?airplane))))

 (:action drive-truck
  :parameters (?truck ?from ?to ?city)
  :precondition (and (truck ?truck) (location ?from) (location ?to) (city ?city)
   (at ?truck ?from) (in-city ?from ?city) (in-city ?to ?city))
  :effect (and (at ?truck ?to) (not (at ?truck ?from))))

 (:action fly-airplane
  :parameters (?airplane ?from ?to)
  :precondition (and (airplane ?airplane) (airport ?from) (airport ?to) (at ?airplane ?from))
  :effect (and (at ?airplane ?to) (not (at ?airplane ?from)))))
