; Satellites with instruments that share their satellite's power.
(define (domain satellite)
 (:requirements :strips :typing :negative-preconditions)
 (:types satellite direction instrument mode - object)
 (:predicates
  (on_board ?instrument - instrument ?satellite - satellite)
  (supports ?instrument - instrument ?mode - mode)
  (pointing ?satellite - satellite ?direction - direction)
  (power_avail ?satellite - satellite)
  (power_on ?instrument - instrument)
  (calibrated ?instrument - instrument)
  (have_image ?direction - direction ?mode - mode)
  (calibration_target ?instrument - instrument ?direction - direction))

 (:action turn_to
  :parameters (?satellite - satellite ?to - direction ?from - direction)
  :precondition (and (pointing ?satellite ?from) (not (pointing ?satellite ?to)))
  :effect (and (pointing ?satellite ?to) (not (pointing ?satellite ?from))))

 (:action switch_on
  :parameters (?instrument - instrument ?satellite - satellite)
  :precondition (and (on_board ?instrument ?satellite) (power_avail ?satellite))
  :effect (and (power_on ?instrument)
   (not (calibrated ?instrument)) (not (power_avail ?satellite))))

 (:action switch_off
  :parameters (?instrument - instrument ?satellite - satellite)
  :precondition (and (on_board ?instrument ?satellite) (power_on ?instrument))
  :effect (and (power_avail ?satellite) (not (power_on ?instrument))))

 (:action calibrate
  :parameters (?satellite - satellite ?instrument - instrument ?direction - direction)
  :precondition (and (on_board ?instrument ?satellite) (power_on ?instrument)
   (calibration_target ?instrument ?direction) (pointing ?satellite ?direction))
  :effect (calibrated ?instrument))

 (:action take_image
  :parameters (?satellite - satellite ?direction - direction
   ?instrument - instrument ?mode - mode)
  :precondition (and (on_board ?instrument ?satellite) (power_on ?instrument)
   (calibrated ?instrument) (supports ?instrument ?mode) (pointing ?satellite ?direction))
  :effect (have_image ?direction ?mode)))
