/** Who a request without credentials acts for. No identity can have this id. */
export const anonymous = { id: 'anonymous', name: 'anonymous' } as const
