/**
 * A witness in one object below the prefix of the blobs. A write names the object that it has seen (`If-Match`), so a slow
 * request never puts an old tip in the place of a new one. A server that does not know the condition leaves a moment in which
 * it can: the next commit puts that right.
 */
import type { Tip } from '@varve/core'
import { parseTip, type SharedWitness, tipText } from '../shared-witness/shared-witness.ts'
import { kindOf, s3Failure, WrongAnswer } from './s3-failure.ts'
import type { S3Place } from './s3-place.ts'
import { shortBody } from './short-body.ts'

/** How long a write may take. A tip that is older is not worth more. */
const writeMs = 10_000
const roundsMax = 5
const bytesMax = 4096

interface Found {
  readonly text: string
  readonly etag: string | undefined
}

/** `read` rejects with `LogCorrupt` (`details.kind` is `witness`) or `BlobFailed`, `write` and `replace` too. */
export function s3Witness(place: S3Place): SharedWitness {
  const key = place.keys.witness
  let isConditional = true

  /** Resolves with false if another process was first. */
  async function put(tip: Tip, found: Found | undefined, signal: AbortSignal): Promise<boolean> {
    const { client, requests, sdk } = place
    const seen = found === undefined ? { IfNoneMatch: '*' } : found.etag !== undefined && { IfMatch: found.etag }
    const about = { ...place.at(key), ContentType: 'application/json', Body: tipText(tip), ...(isConditional && seen) }
    const attempt = (abortSignal: AbortSignal) =>
      place.within(abortSignal, client.send(new sdk.PutObjectCommand(about), { abortSignal }))
    try {
      await requests.run('Writing the witness', attempt, { signal, retries: 1 })
      return true
    } catch (error) {
      const kind = kindOf(error)
      if (kind === 'NotImplemented' && isConditional) isConditional = false
      else if (!lost.has(kind)) throw error
      return false
    }
  }

  /** Writes the tip, unless `isKept` is true for what is there. */
  async function settle(tip: Tip, isKept: (found: Found) => boolean): Promise<void> {
    const signal = AbortSignal.timeout(writeMs)
    for (let round = 0; round < roundsMax; round++) {
      const found = await readObject(place, key, signal)
      if (found !== undefined && isKept(found)) return
      if (await put(tip, found, signal)) return
    }
    throw new WrongAnswer('PreconditionFailed', 'Other processes were first each time.')
  }

  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = turn.then(work).catch((error: unknown) => Promise.reject(s3Failure(error, 'Writing the witness')))
    turn = done.catch(() => undefined)
    return done
  }

  return {
    async read() {
      const found = await readObject(place, key)
      return found && parseTip(found.text)
    },
    write: (tip) => inTurn(() => settle(tip, ({ text }) => parseTip(text).seq >= tip.seq)),
    replace: (tip) => inTurn(() => settle(tip, () => false)),
  }
}

/** Another process has written the object since it was read, or removed it. */
const lost = new Set(['PreconditionFailed', 'status412', 'ConditionalRequestConflict', 'NoSuchKey'])

/** `undefined` if there is none. */
async function readObject(place: S3Place, key: string, signal?: AbortSignal): Promise<Found | undefined> {
  const { client, requests, sdk } = place
  const attempt = async (abortSignal: AbortSignal): Promise<Found> => {
    const sending = client.send(new sdk.GetObjectCommand(place.at(key)), { abortSignal })
    const { Body, ContentLength = 0, ETag } = await place.within(abortSignal, sending)
    if (Body === undefined) throw new WrongAnswer('WrongAnswer', 'There are no bytes in the answer.')
    if (ContentLength <= bytesMax)
      return { text: (await place.within(abortSignal, shortBody(Body, bytesMax))).toString(), etag: ETag }
    ;(Body as { destroy?(): void }).destroy?.()
    return { text: '', etag: ETag }
  }
  try {
    return await requests.run('Reading the witness', attempt, signal ? { signal, retries: 1 } : {})
  } catch (error) {
    if (kindOf(error) === 'NoSuchKey') return undefined
    throw error
  }
}
