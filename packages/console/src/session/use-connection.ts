import type { Connection } from '../transport/connection.ts'
import { session } from './session.ts'

/** The connection, for pages: they are shown only to a person who is signed in. */
export function useConnection(): Connection {
  const connection = session.value
  if (connection === undefined) throw new Error('A page was shown without a session.')
  return connection
}
