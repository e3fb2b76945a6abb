-- Rights are made again after a step: a rationale is read by those alone who may read its conversation.
comment on table dejavu_notes is 'Records of other parts as JSON: memories and their log. Rationales are records, and no notes.';
