/** The actor of requests without credentials. No identity can have this id. */
export const anonymous = { id: 'anonymous', name: 'anonymous' } as const
