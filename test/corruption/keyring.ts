/** The keyring of the damaged stores: its keys are never damaged. */
import { createKeyring } from 'varve'

export const keyring = createKeyring({ master: [Buffer.alloc(32, 'master').toString('base64')] })
