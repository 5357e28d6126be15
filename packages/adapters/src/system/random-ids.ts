import { randomUUID } from 'node:crypto'
import type { Ids } from '@varve/core'

/** 122 bits of chance as 32 hex digits: a UUID without its dashes, of which Node draws many from the system at once. */
export const randomIds: Ids = { next: () => randomUUID().replaceAll('-', '') }
