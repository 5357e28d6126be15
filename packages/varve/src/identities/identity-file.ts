import { type Identity, parseIdentities } from '@varve/http'
import { readPrivateJson } from '../files/private-file.ts'

export const fileBytesMax = 16 * 1024 * 1024

/**
 * Identities from a JSON file that only its owner can read. Modes are not checked on Windows, which has none.
 * @throws InvalidArgument when the file cannot be read, is open to others, or contains invalid identities
 */
export async function loadIdentityFile(path: string): Promise<readonly Identity[]> {
  return parseIdentities(await readPrivateJson(path, { name: 'identity file', bytesMax: fileBytesMax }))
}
