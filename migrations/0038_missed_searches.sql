-- What shoppers searched for and did not find, by day, with nothing of who it was.
CREATE TABLE missed_searches (
    day   date    NOT NULL,
    query text    NOT NULL,
    times integer NOT NULL,
    CONSTRAINT one_row_per_day_and_search PRIMARY KEY (day, query),
    CONSTRAINT short_searches CHECK (length(query) BETWEEN 1 AND 80)
);
