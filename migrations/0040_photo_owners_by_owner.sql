-- Photos are counted and removed by their owner: an order's photos of its hand-over, a review's, a customer's.
CREATE INDEX photo_owners_by_owner ON photo_owners (owner);
