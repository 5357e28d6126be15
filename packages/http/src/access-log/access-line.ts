/** A line of S3's server access log. A field without a value is `-`. */
import type { RequestLog } from '../contract/request-log.ts'
import { isSecretName } from '../contract/redaction.ts'
import { encodePath } from '../target/percent.ts'
import { operationName } from './operation-names.ts'

/** What a line needs of a request beyond its entry in the request log. */
export interface SentRequest {
  readonly rawUrl: string
  readonly httpVersion: string
  readonly rawHeaders: readonly string[]
  /** The headers of the answer. */
  readonly answer: Readonly<Record<string, string>>
  /** From the head of the request to the beginning of the answer, in milliseconds. */
  readonly answeredMs: number
  /** OpenSSL's name. */
  readonly cipher?: string | undefined
  /** As `TLSv1.3`. */
  readonly tlsVersion?: string | undefined
}

/** The bucket that a request is about. */
export interface LoggedPlace {
  readonly bucket: string
  readonly owner: string
  readonly region: string
}

export function accessLine(entry: RequestLog, sent: SentRequest, { bucket, owner, region }: LoggedPlace): string {
  const header = (name: string): string | undefined => headerOf(sent.rawHeaders, name)
  const { identity, key } = entry
  const fields = [
    owner,
    bucket,
    `[${timeOf(entry.time)}]`,
    entry.address,
    identity,
    entry.requestId,
    operationName(entry),
    key === undefined ? undefined : encodePath(key),
    quoted(`${entry.method} ${withoutSecretValues(sent.rawUrl)} HTTP/${sent.httpVersion}`),
    String(entry.status),
    entry.errorCode,
    entry.bytesSent === 0 ? undefined : String(entry.bytesSent),
    objectSize(entry, sent),
    String(Math.round(entry.durationMs)),
    String(Math.round(sent.answeredMs)),
    quoted(header('referer') ?? '-'),
    quoted(header('user-agent') ?? '-'),
    entry.versionId,
    sent.answer['x-amz-id-2'],
    ...signature(entry, sent, header('authorization')),
    plain(header('host')),
    sent.tlsVersion,
    // Access points, and whether an ACL was needed.
    undefined,
    undefined,
    region,
  ]
  return `${fields.map((field) => field ?? '-').join(' ')}\n`
}

function signature(
  { identity }: RequestLog,
  { rawUrl, cipher }: SentRequest,
  authorization: string | undefined,
): readonly (string | undefined)[] {
  if (identity === undefined) return [undefined, cipher, undefined]
  if (authorization !== undefined) return [authorization.startsWith('AWS4-') ? 'SigV4' : 'SigV2', cipher, 'AuthHeader']
  if (/[?&]x-(?:amz|svc)-signature=/i.test(rawUrl)) return ['SigV4', cipher, 'QueryString']
  return /[?&]signature=/i.test(rawUrl) ? ['SigV2', cipher, 'QueryString'] : [undefined, cipher, undefined]
}

function headerOf(rawHeaders: readonly string[], wanted: string): string | undefined {
  const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === wanted)
  return at === -1 ? undefined : rawHeaders[at + 1]
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `06/Feb/2019:00:00:38 +0000` */
function timeOf(time: number): string {
  const [date = '', clock = ''] = new Date(time).toISOString().split('T')
  const [year, month, day] = date.split('-')
  return `${day}/${months[Number(month) - 1]}/${year}:${clock.slice(0, 8)} +0000`
}

const signatureName = /^(?:x-(?:amz|svc)-signature|signature)$/i

/** The target of a request, whose parameters keep their names. */
function withoutSecretValues(rawUrl: string): string {
  const mark = rawUrl.indexOf('?')
  if (mark === -1) return rawUrl
  const pairs = rawUrl
    .slice(mark + 1)
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=', 1)
      const plainName = decoded(name)
      return isSecretName(plainName) || signatureName.test(plainName) ? `${name}=REDACTED` : pair
    })
  return `${rawUrl.slice(0, mark)}?${pairs.join('&')}`
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

/** Whatever a client sends, a line stays one line, and a quoted field ends at its second quote. */
const quoted = (text: string): string => `"${text.replace(/[^\x20\x21\x23-\x7e]/g, encoded)}"`
const plain = (text: string | undefined): string | undefined => text?.replace(/[^\x21\x23-\x7e]/g, encoded)
const encoded = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** The whole object for a read, also of a part of it; the bytes of the body for a write. */
function objectSize({ operation, status, bytesReceived }: RequestLog, sent: SentRequest): string | undefined {
  if (status >= 300) return undefined
  if (operation === 'GetObject' || operation === 'HeadObject')
    return sent.answer['content-range']?.split('/')[1] ?? sent.answer['content-length']
  if (operation !== 'PutObject' && operation !== 'UploadPart') return undefined
  return headerOf(sent.rawHeaders, 'x-amz-decoded-content-length') ?? String(bytesReceived)
}
