/** Who is signed in. The key is in this module's memory alone, so a reload forgets it. */

import { computed, signal } from '@preact/signals'
import { listAllBuckets } from '../control/buckets.ts'
import { type BucketEntry, listBuckets } from '../s3/buckets.ts'
import type { Credentials } from '../signing/sign.ts'
import { Connection } from '../transport/connection.ts'
import { endpointOf } from '../transport/endpoint.ts'
import { hasCode, isCredentialFailure } from '../transport/failures.ts'
import { noteReachability } from '../transport/reachability.ts'

interface Session {
  readonly connection: Connection
  /** True if the key may list the buckets of everyone. */
  readonly isRoot: boolean
}

const current = signal<Session | undefined>(undefined)

/** The connection of the person who is signed in. */
export const session = computed(() => current.value?.connection)

/** The person: another one must not see or undo what this one did. */
export const signedInAs = computed(() => current.value?.connection.credentials.accessKeyId)

/** True if the key may do everything. */
export const isRoot = computed(() => current.value?.isRoot === true)

/** True if the server refused a key that had worked before. */
export const isKeyRefused = signal(false)

/**
 * Signs in if the server knows the key. A key without permission to list buckets is good, too.
 * @throws ServerError, Unreachable
 */
export async function signIn(credentials: Credentials): Promise<void> {
  const endpoint = endpointOf(location)
  let isKnown = false
  const onOutcome = (error: unknown): void => {
    noteReachability(endpoint, error)
    if (isKnown && isCredentialFailure(error)) isKeyRefused.value = true
  }
  const connection = new Connection({ endpoint, credentials, onOutcome })
  const own = await unlessDenied(() => listBuckets(connection))
  // A key that cannot list its own buckets is not root.
  const all = own === undefined ? undefined : await unlessDenied(() => listAllBuckets(connection))
  isKnown = true
  isKeyRefused.value = false
  current.value = { connection, isRoot: all !== undefined }
}

/** Shows the page again, with the refusals that it got. */
export function signInLater(): void {
  isKeyRefused.value = false
}

export function signOut(): void {
  isKeyRefused.value = false
  current.value = undefined
}

/** The buckets of the store for root, and their own for everyone else. */
export function listShownBuckets(connection: Connection, signal?: AbortSignal): Promise<readonly BucketEntry[]> {
  return current.value?.isRoot === true ? listAllBuckets(connection, signal) : listBuckets(connection, signal)
}

/** A server without a control API answers with another refusal than a denial. */
async function unlessDenied<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load()
  } catch (error) {
    if (hasCode(error, 'AccessDenied', 'NotImplemented', 'NoSuchBucket', 'InvalidBucketName', 'NotFound'))
      return undefined
    throw error
  }
}
