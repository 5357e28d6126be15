import type { Actor } from '@varve/core'

/**
 * The actor of everything that is done over the local socket, unless a call names another one, and of a program that has the
 * store open.
 */
export const local: Actor = { id: 'local', name: 'local' }
