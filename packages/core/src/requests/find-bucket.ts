import { type Soon, whenThere } from '../base/soon.ts'
import { noSuchBucket } from '../reads/conditions.ts'
import type { NamedBucket } from '../reads/read-snapshot.ts'
import { withSnapshot } from './read-scope.ts'
import type { Attempt } from './request-context.ts'
import type { RequestEngine } from './request-engine.ts'

/**
 * Finds the bucket of a command before its bytes are read: a missing bucket is then refused early. The rule of the
 * command checks again. @throws StorageError `NoSuchBucket`
 */
export function findBucket(requests: RequestEngine, context: Attempt, name: string): Soon<NamedBucket> {
  const finding = withSnapshot({ requests, context }, (snapshot) => snapshot.bucket(name), { bucket: name })
  return whenThere(finding, (row) => {
    if (row === undefined) throw noSuchBucket(name)
    return { name, row }
  })
}
