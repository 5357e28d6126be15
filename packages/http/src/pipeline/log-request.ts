/**
 * The log for monitors and witnesses, below `/-/log/`: C2SP tlog-tiles. It has hashes and signed heads, and no names. Requests are
 * signed and need `varve:ReadCheckpoints`, unless the server shows its log to everyone.
 */
import { isStorageError, type Proofs, StorageError } from '@varve/core'
import type { Answer } from '../contract/answer.ts'
import { withoutSecrets } from '../contract/redaction.ts'
import type { WireRequest } from '../contract/wire-request.ts'
import type { ControlPlace } from '../control/answer-control.ts'
import { getCheckpoint, getLogTile } from '../control/proof-rows.ts'
import { S3Error } from '../errors/errors.ts'
import { parseTarget } from '../target/parse-target.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import { assertNamed, failureAnswer, verifiedOf } from './control-request.ts'
import type { Service } from './service-options.ts'

/** No bucket can have this name, so no object has such a path. */
const prefix = '/-/log/'

/** A tile never changes. */
const immutable = 'max-age=31536000, immutable'
const bytesType = 'application/octet-stream'

export const isLogRequest = ({ control }: Service, { rawUrl }: Pick<WireRequest, 'rawUrl'>): boolean =>
  control !== undefined && rawUrl.startsWith(prefix)

/** `undefined` when the host names a bucket: then the path is a key. Never rejects. */
export async function answerLogRequest(
  service: Service,
  request: WireRequest,
  onError: (error: unknown) => void,
): Promise<Answer | undefined> {
  try {
    if (namesBucket(service, request)) return undefined
    const { method, rawUrl } = request
    if (method !== 'GET' && method !== 'HEAD') {
      throw new S3Error('MethodNotAllowed', 'The log takes GET and HEAD.', { headers: { allow: 'GET, HEAD' } })
    }
    const by = callerOf(service, request)
    const [path = ''] = rawUrl.slice(prefix.length).split('?')
    return await answerTo(service, path, { by, signal: request.client.signal })
  } catch (thrown) {
    const error = withoutSecrets(thrown, request)
    onError(error)
    return failureAnswer(error)
  }
}

export function namesBucket({ hostSuffixes }: Service, { rawUrl, rawHeaders }: WireRequest): boolean {
  const hostHeader = createRequestHeaders(rawHeaders).single('host') ?? ''
  return parseTarget({ rawUrl, hostHeader, hostSuffixes }).style === 'virtual'
}

interface Caller {
  readonly by: { readonly id: string; readonly name: string }
  readonly signal: AbortSignal
}

/** @throws S3Error `AccessDenied` */
function callerOf(service: Service, request: WireRequest): Caller['by'] {
  request.trace.operation = 'ReadLogTiles'
  if (service.shownLog.isOpen) return { id: 'anonymous', name: 'anonymous' }
  const signed = verifiedOf(service, request)
  // The host names no bucket, so the request was looked at.
  if (signed === undefined) throw new StorageError('AccessDenied', 'The request is not signed.')
  assertNamed(service, request, signed, { action: 'varve:ReadCheckpoints', resource: 'store' })
  const { id, displayName } = signed.identity
  return { id, name: displayName }
}

async function answerTo(service: Service, path: string, caller: Caller): Promise<Answer> {
  const log = logAt((service.control as () => ControlPlace)(), caller)
  if (path === 'checkpoint') {
    const text = await service.shownLog.checkpoint(async () => (await log.checkpoint()).text)
    return answer('text/plain; charset=utf-8', 'no-store', text)
  }
  const bytes = await log.tile(path).catch((error: unknown) => {
    // A path that no log has.
    if (isStorageError(error, 'InvalidArgument')) return undefined
    throw error
  })
  if (bytes !== undefined) return answer(bytesType, immutable, bytes)
  return {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    body: 'The log has no such path.\n',
  }
}

const answer = (type: string, caching: string, body: string | Uint8Array): Answer => ({
  status: 200,
  headers: { 'content-type': type, 'cache-control': caching },
  body,
})

/** The log of a store of this process, or of the process that has the store open. */
function logAt(place: ControlPlace, { by, signal }: Caller): Pick<Proofs, 'checkpoint' | 'tile'> {
  if ('store' in place) {
    const { proofs } = place.store
    return { checkpoint: () => proofs.checkpoint({ signal }), tile: (path) => proofs.tile(path, { signal }) }
  }
  const owner = place.forward.as({ by })
  return {
    checkpoint: () => owner.value(getCheckpoint, {}, { signal }),
    async tile(path) {
      const { bytes } = await owner.value(getLogTile, { path }, { signal })
      return bytes === undefined ? undefined : new Uint8Array(Buffer.from(bytes, 'base64'))
    },
  }
}
