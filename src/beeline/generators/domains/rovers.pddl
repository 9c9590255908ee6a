; Rovers explore, and report to a lander.
(define (domain rover)
 (:requirements :strips :typing)
 (:types rover waypoint store camera mode lander objective - object)
 (:predicates
  (at ?rover - rover ?waypoint - waypoint)
  (at_lander ?lander - lander ?waypoint - waypoint)
  (can_traverse ?rover - rover ?from - waypoint ?to - waypoint)
  (equipped_for_soil_analysis ?rover - rover)
  (equipped_for_rock_analysis ?rover - rover)
  (equipped_for_imaging ?rover - rover)
  (empty ?store - store)
  (have_rock_analysis ?rover - rover ?waypoint - waypoint)
  (have_soil_analysis ?rover - rover ?waypoint - waypoint)
  (full ?store - store)
  (calibrated ?camera - camera ?rover - rover)
  (supports ?camera - camera ?mode - mode)
  (visible ?from - waypoint ?to - waypoint)
  (have_image ?rover - rover ?objective - objective ?mode - mode)
  (communicated_soil_data ?waypoint - waypoint)
  (communicated_rock_data ?waypoint - waypoint)
  (communicated_image_data ?objective - objective ?mode - mode)
  (at_soil_sample ?waypoint - waypoint)
  (at_rock_sample ?waypoint - waypoint)
  (visible_from ?objective - objective ?waypoint - waypoint)
  (store_of ?store - store ?rover - rover)
  (calibration_target ?camera - camera ?objective - objective)
  (on_board ?camera - camera ?rover - rover))

 (:action navigate
  :parameters (?rover - rover ?from - waypoint ?to - waypoint)
  :precondition (and (at ?rover ?from) (can_traverse ?rover ?from ?to) (visible ?from ?to))
  :effect (and (at ?rover ?to) (not (at ?rover ?from))))

 (:action sample_soil
  :parameters (?rover - rover ?store - store ?waypoint - waypoint)
  :precondition (and (at ?rover ?waypoint) (at_soil_sample ?waypoint)
   (equipped_for_soil_analysis ?rover) (store_of ?store ?rover) (empty ?store))
  :effect (and (have_soil_analysis ?rover ?waypoint) (full ?store)
   (not (empty ?store)) (not (at_soil_sample ?waypoint))))

 (:action sample_rock
  :parameters (?rover - rover ?store - store ?waypoint - waypoint)
  :precondition (and (at ?rover ?waypoint) (at_rock_sample ?waypoint)
   (equipped_for_rock_analysis ?rover) (store_of ?store ?rover) (empty ?store))
  :effect (and (have_rock_analysis ?rover ?waypoint) (full ?store)
   (not (empty ?store)) (not (at_rock_sample ?waypoint))))

 (:action drop
  :parameters (?rover - rover ?store - store)
  :precondition (and (store_of ?store ?rover) (full ?store))
  :effect (and (empty ?store) (not (full ?store))))

 (:action calibrate
  :parameters (?rover - rover ?camera - camera ?objective - objective ?waypoint - waypoint)
  :precondition (and (at ?rover ?waypoint) (equipped_for_imaging ?rover)
   (on_board ?camera ?rover) (calibration_target ?camera ?objective)
   (visible_from ?objective ?waypoint))
  :effect (calibrated ?camera ?rover))

 (:action take_image
  :parameters (?rover - rover ?waypoint - waypoint ?objective - objective
   ?camera - camera ?mode - mode)
  :precondition (and (at ?rover ?waypoint) (equipped_for_imaging ?rover)
   (on_board ?camera ?rover) (calibrated ?camera ?rover) (supports ?camera ?mode)
   (visible_from ?objective ?waypoint))
  :effect (and (have_image ?rover ?objective ?mode) (not (calibrated ?camera ?rover))))

 (:action communicate_soil_data
  :parameters (?rover - rover ?lander - lander ?sampled - waypoint
   ?here - waypoint ?there - waypoint)
  :precondition (and (at ?rover ?here) (at_lander ?lander ?there) (visible ?here ?there)
   (have_soil_analysis ?rover ?sampled))
  :effect (communicated_soil_data ?sampled))

 (:action communicate_rock_data
  :parameters (?rover - rover ?lander - lander ?sampled - waypoint
   ?here - waypoint ?there - waypoint)
  :precondition (and (at ?rover ?here) (at_lander ?lander ?there) (visible ?here ?there)
   (have_rock_analysis ?rover ?sampled))
  :effect (communicated_rock_data ?sampled))

 (:action communicate_image_data
  :parameters (?rover - rover ?lander - lander ?objective - objective ?mode - mode
   ?here - waypoint ?there - waypoint)
  :precondition (and (at ?rover ?here) (at_lander ?lander ?there) (visible ?here ?there)
   (have_image ?rover ?objective ?mode))
  :effect (communicated_image_data ?objective ?mode)))
