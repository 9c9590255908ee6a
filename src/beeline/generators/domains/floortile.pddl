; Robots paint the tile before or behind them; nobody may step on a painted tile.
(define (domain floortile)
 (:requirements :strips :typing)
 (:types robot tile color - object)
 (:predicates
  (robot-at ?robot - robot ?tile - tile)
  (up ?upper - tile ?tile - tile)
  (down ?lower - tile ?tile - tile)
  (right ?next - tile ?tile - tile)
  (left ?next - tile ?tile - tile)
  (clear ?tile - tile)                  ; neither painted nor occupied
  (painted ?tile - tile ?color - color)
  (robot-has ?robot - robot ?color - color)
  (available-color ?color - color)
  (free-color ?robot - robot))

 (:action change_color
  :parameters (?robot - robot ?old - color ?new - color)
  :precondition (and (robot-has ?robot ?old) (available-color ?new))
  :effect (and (robot-has ?robot ?new) (not (robot-has ?robot ?old))))

 (:action paint_up
  :parameters (?robot - robot ?upper - tile ?tile - tile ?color - color)
  :precondition (and (robot-at ?robot ?tile) (robot-has ?robot ?color)
   (up ?upper ?tile) (clear ?upper))
  :effect (and (painted ?upper ?color) (not (clear ?upper))))

 (:action paint_down
  :parameters (?robot - robot ?lower - tile ?tile - tile ?color - color)
  :precondition (and (robot-at ?robot ?tile) (robot-has ?robot ?color)
   (down ?lower ?tile) (clear ?lower))
  :effect (and (painted ?lower ?color) (not (clear ?lower))))

 (:action move_up
  :parameters (?robot - robot ?from - tile ?to - tile)
  :precondition (and (robot-at ?robot ?from) (up ?to ?from) (clear ?to))
  :effect (and (robot-at ?robot ?to) (clear ?from)
   (not (robot-at ?robot ?from)) (not (clear ?to))))

 (:action move_down
  :parameters (?robot - robot ?from - tile ?to - tile)
  :precondition (and (robot-at ?robot ?from) (down ?to ?from) (clear ?to))
  :effect (and (robot-at ?robot ?to) (clear ?from)
   (not (robot-at ?robot ?from)) (not (clear ?to))))

 (:action move_right
  :parameters (?robot - robot ?from - tile ?to - tile)
  :precondition (and (robot-at ?robot ?from) (right ?to ?from) (clear ?to))
  :effect (and (robot-at ?robot ?to) (clear ?from)
   (not (robot-at ?robot ?from)) (not (clear ?to))))

 (:action move_left
  :parameters (?robot - robot ?from - tile ?to - tile)
  :precondition (and (robot-at ?robot ?from) (left ?to ?from) (clear ?to))
  :effect (and (robot-at ?robot ?to) (clear ?from)
   (not (robot-at ?robot ?from)) (not (clear ?to)))))
