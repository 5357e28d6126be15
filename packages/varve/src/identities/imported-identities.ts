/** The identities of a file, as new ones of the log. */
import type { IdentityOptions } from '@varve/core'
import { fileBytesMax, loadIdentityFile } from './identity-file.ts'
import { readPrivateJson } from '../files/private-file.ts'

export interface ImportedIdentity extends IdentityOptions {
  readonly name: string
}

export interface ImportedIdentities {
  readonly identities: readonly ImportedIdentity[]
  /** The names of root entries: root stays where it is. */
  readonly skipped: readonly string[]
}

/** Policies are taken over as the file has them. @throws StorageError `InvalidArgument` as `loadIdentityFile` does */
export async function importedIdentities(path: string): Promise<ImportedIdentities> {
  const identities = await loadIdentityFile(path)
  const documents = policiesIn(await readPrivateJson(path, { name: 'identity file', bytesMax: fileBytesMax }))
  return {
    identities: identities
      .filter(({ root }) => !root)
      .map(({ name, id, displayName, email, accessKeyId, secretAccessKey }) => {
        const policy = documents.get(name)
        return {
          name,
          id,
          displayName,
          ...(email !== undefined && { email }),
          key: { accessKeyId, secretAccessKey },
          ...(policy !== undefined && { policy }),
        }
      }),
    skipped: identities.filter(({ root }) => root).map(({ name }) => name),
  }
}

/** The texts of the policies by the names of their identities. The file was checked. */
function policiesIn(json: unknown): ReadonlyMap<string, string> {
  const { identities } = json as {
    readonly identities: readonly { readonly name: string; readonly policy?: unknown }[]
  }
  const withPolicy = identities.filter(({ policy }) => policy !== undefined)
  return new Map(withPolicy.map(({ name, policy }) => [name, JSON.stringify(policy)]))
}
