; Two parcels leave the depot; the short road to the mill leads through the village.
(define (problem two-parcels)
  (:domain delivery)
  (:objects
    depot village mill - place
    white-van - van
    letter crate - parcel)
  (:init
    (road depot village) (= (distance depot village) 3)
    (road village depot) (= (distance village depot) 3)
    (road village mill) (= (distance village mill) 4)
    (road mill village) (= (distance mill village) 4)
    (road depot mill) (= (distance depot mill) 9)
    (road mill depot) (= (distance mill depot) 9)
    (van-at white-van village)
    (parcel-at letter depot)
    (parcel-at crate depot)
    (= (total-cost) 0))
  (:goal (and (parcel-at letter village) (parcel-at crate mill)))
  (:metric minimize (total-cost)))
