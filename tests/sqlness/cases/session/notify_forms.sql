LISTEN nf_a;

NOTIFY nf_a;

NOTIFY nf_a, 'payload';

UNLISTEN nf_a;

UNLISTEN *;

NOTIFY;

LISTEN;
