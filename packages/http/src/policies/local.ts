import type { Actor } from '@varve/core'

/**
 * The actor of a program that has the store open, and of everything that is done over its local socket, unless a call names
 * another one or a server with a root serves the store.
 */
export const local: Actor = { id: 'local', name: 'local' }
