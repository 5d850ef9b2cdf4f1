-- JSON carries U+0000 and Postgres keeps it in no text: what is stored as it was sent is stored as bytes.
ALTER TABLE material ALTER COLUMN review_document TYPE bytea USING convert_to(review_document, 'UTF8');
ALTER TABLE bundle ALTER COLUMN html TYPE bytea USING convert_to(html, 'UTF8');
