import { type Keyring, schema } from '@varve/core'

/** A keyring that a caller passes. */
export const keyringSchema: schema.Schema<Keyring> = schema.implementing<Keyring>('a keyring', [
  'has',
  'wrap',
  'unwrap',
])
