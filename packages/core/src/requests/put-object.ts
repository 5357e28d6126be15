import { checkKey, checkMetadata } from '../naming/names.ts'
import type { BodySource } from '../content/one-piece.ts'
import { checkLockable } from '../settings/retention-rules.ts'
import { assertQuota } from './assert-quota.ts'
import { checkBytes, digestsFor } from './byte-checks.ts'
import type { StoreContext } from './request-context.ts'
import { creationOf, objectMetadata } from './creation-options.ts'
import { writeConditions } from '../commands/command.ts'
import { createdObject, withExpiration } from './created-object.ts'
import { findBucket } from './find-bucket.ts'
import { createdFacts, encryptedFacts, protectionFor } from './protection.ts'
import type { RequestEngine } from './request-engine.ts'
import type { PutOptions, PutResult } from '../api/types/index.ts'

interface NewObject {
  readonly bucket: string
  readonly key: string
  readonly source: BodySource
}

/** Checks everything that can refuse the write before it reads any byte. */
export async function putObject(
  requests: RequestEngine,
  context: StoreContext,
  { bucket, key, source }: NewObject,
  options: PutOptions,
): Promise<PutResult> {
  options.signal?.throwIfAborted()
  checkKey(key)
  const metadata = objectMetadata(options)
  checkMetadata(metadata)
  const creation = creationOf(options)
  const algorithms = digestsFor(options)
  const finding = findBucket(requests, context, bucket)
  const named = finding instanceof Promise ? await finding : finding
  if (creation.retention !== undefined || creation.legalHold !== undefined) checkLockable(named.row)
  const asserting = assertQuota(requests, context, named, { size: options.size, key })
  if (asserting !== undefined) await asserting
  const protecting = protectionFor(requests, context, named, options)
  const protection = protecting instanceof Promise ? await protecting : protecting
  return await requests.withContent(source, { algorithms, signal: options.signal, protection }, async (written) => {
    const { content, size } = written
    const computed = encryptedFacts(requests, checkBytes(written, options), protection)
    const facts = { size, content, metadata, ...computed, ...createdFacts(creation, protection) }
    const command = { bucket, key, facts, conditions: writeConditions(options) }
    const result = createdObject(await requests.submit('PutObject', command, context, written))
    if (named.row.settings?.Lifecycle === undefined) return result
    return withExpiration(requests, context, { bucket, key, tags: facts.tags }, result)
  })
}
