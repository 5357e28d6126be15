import { shareOf } from '../addresses/share-of.ts'
import { checkKey, parseVersionId, StorageError } from '@varve/core'
import type { DeleteOutcome, DeleteTarget } from '@varve/core'
import type { Trigger } from '../policies/permission-rule.ts'
import { toWireError } from '../errors/wire-error.ts'
import { accessDenied, S3Error } from '../errors/errors.ts'
import { quoted } from '../errors/quote.ts'
import { bypassesGovernance, bypassHeader } from '../object-lock/bypass-governance.ts'
import { unquoteEtag } from '../headers/etags.ts'
import { turn } from '../turns/turn.ts'
import { takeDeleteObjects } from './deleted-keys.ts'
import type { ObjectToDelete } from './deleted-keys.ts'
import { element, optionalElement } from '../xml/write.ts'
import type { Xml } from '../xml/write.ts'
import { longXmlAnswer } from '../contract/long-answer.ts'
import type { BucketContext, BucketOperation } from '../contract/operation.ts'
import { laterPermissions } from '../contract/permissions.ts'

const bytesMax = 8 * 1024 * 1024

/**
 * Deletes each object by itself, in the order of the request: an object that may not or cannot be deleted does not stop
 * the next.
 */
export const deleteObjects: BucketOperation = async (context) => {
  const { bucket, body, store } = context
  const { checksum, contentMD5 } = body.checks()
  if (checksum === undefined && contentMD5 === undefined) {
    throw new S3Error('InvalidRequest', 'Missing required header for this request: Content-MD5 OR x-amz-checksum-*')
  }
  const { quiet, objects } = await takeDeleteObjects(await body.small(bytesMax), context.client.address)
  const judged = await inTurn(context, objects, (object) => judge(context, object))
  const targets = await bypassing(
    context,
    judged.flatMap((one) => ('error' in one ? [] : [one])),
  )
  const outcomes = (await store.objects.deleteMany(bucket, targets)).values()
  // Results are in the order of the request, with refused keys in their places.
  const all = judged.map((one) => ('error' in one ? one : (outcomes.next().value as DeleteOutcome)))
  return longXmlAnswer(context, 'DeleteResult', elementsOf(all, quiet))
}

function* elementsOf(outcomes: readonly DeleteOutcome[], quiet: boolean): Generator<Xml> {
  for (const outcome of outcomes) {
    if ('error' in outcome) yield errorElement(outcome)
    else if (!quiet) yield deletedElement(outcome)
  }
}

/** Checks the permission to bypass once for all keys, and for each. */
async function bypassing(context: BucketContext, targets: readonly DeleteTarget[]): Promise<readonly DeleteTarget[]> {
  if (!context.headers.has(bypassHeader)) return targets
  return inTurn(context, targets, async (target) => ({
    ...target,
    bypassGovernance: await bypassesGovernance(context, target),
  }))
}

/** The steps for a key that is refused before authorisation. */
const stepsOfKey = 2000

/**
 * Handles one object after the other while the client is connected. Each may take long to authorise, and authorisation
 * lets other requests take turns in between (`turns/turn.ts`).
 */
async function inTurn<T, R>(
  { client: { signal, address } }: BucketContext,
  items: readonly T[],
  act: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  for (const item of items) {
    if (turn.isOver) await turn.next(shareOf(address))
    signal.throwIfAborted()
    turn.spend(stepsOfKey)
    results.push(await act(item))
  }
  return results
}

type Refusal = Extract<DeleteOutcome, { readonly error: unknown }>

/** Returns the target for the store, or the error. */
async function judge({ bucket, allows }: BucketContext, object: ObjectToDelete): Promise<DeleteTarget | Refusal> {
  const { key, versionId, etag, lastModifiedTime, size } = object
  const target = { key, ...(versionId !== undefined && { versionId }) }
  try {
    checkKey(key)
    const ifMatch = etag === undefined ? undefined : unquoteEtag(etag)
    // A header of the whole request is not a condition on this key.
    const values = { 's3:if-match': etag === undefined ? [] : [etag] }
    const isMeant = (when: Trigger | undefined) =>
      when === undefined || (ifMatch !== undefined && ifMatch !== '*' && 'element' in when && when.element === 'ETag')
    for (const permission of laterPermissions('DeleteObjects', { bucket, ...target }, isMeant)) {
      if (!(await allows({ ...permission, values }))) throw accessDenied()
    }
    if (versionId !== undefined) checkVersionId(versionId)
    if (lastModifiedTime !== undefined || size !== undefined) {
      throw new S3Error('NotImplemented', 'Conditions on LastModifiedTime and Size are not implemented.')
    }
  } catch (error) {
    return { ...target, error }
  }
  return { ...target, ...(etag !== undefined && { ifMatch: unquoteEtag(etag) }) }
}

/** In a batch an invalid version id is treated like an id that does not exist. */
function checkVersionId(id: string): void {
  try {
    parseVersionId(id)
  } catch (cause) {
    throw new StorageError('NoSuchVersion', 'The specified version does not exist.', { cause })
  }
}

function deletedElement({ key, versionId, result }: Extract<DeleteOutcome, { readonly result: unknown }>): Xml {
  return element('Deleted', [
    element('Key', key),
    optionalElement('VersionId', versionId),
    ...(result.deleteMarker
      ? [element('DeleteMarker', true), optionalElement('DeleteMarkerVersionId', result.versionId)]
      : []),
  ])
}

function errorElement({ key, versionId, error }: Refusal): Xml {
  const { code, message } = toWireError(error)
  return element('Error', [
    element('Key', quoted(key)),
    optionalElement('VersionId', versionId === undefined ? undefined : quoted(versionId)),
    element('Code', code),
    element('Message', message),
  ])
}
