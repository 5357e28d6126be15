import { S3Error } from '../errors/errors.ts'
import { withoutSecretsByName } from '../contract/redaction.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { SignatureClaim } from './claim.ts'

/**
 * Headers that proxies and caches often remove, change or set themselves, but for the host: every signature covers it
 * (`hostHint`).
 */
const rewritten: ReadonlySet<string> = new Set(
  [
    // Of one connection, not of the request: RFC 9110, section 7.6.
    'connection expect keep-alive max-forwards proxy-authorization proxy-connection te trailer transfer-encoding upgrade',
    // Proxies that compress, store or translate change these.
    'accept accept-charset accept-encoding accept-language cache-control content-encoding content-length content-type',
    'cookie date if-modified-since if-none-match if-range pragma priority referer user-agent',
    // Who sent the request, and by which way.
    'cdn-loop client-ip early-data forwarded true-client-ip via x-client-ip x-real-ip',
    // Traces.
    'b3 baggage traceparent tracestate x-amzn-trace-id x-cloud-trace-context x-correlation-id x-request-id',
  ].flatMap((names) => names.split(' ')),
)

/** Headers of this kind have no fixed names: those of load balancers, Cloudflare, Fastly, Zipkin and Envoy. */
const rewrittenFamily = /^(?:cf|fastly|x-b3|x-envoy|x-forwarded|x-original)-/

const isRewritten = (name: string): boolean => rewritten.has(name) || rewrittenFamily.test(name)

/**
 * The error shows the fields to compare, as S3 sends them. The signature may be valid for another request, such as the
 * same URL with another method, and answers end up in reports and logs. So only the part that is needed to recognise
 * the signature is shown; tokens and customer keys are left out.
 */
export function mismatch(
  claim: SignatureClaim,
  { text, canonical, headers }: { readonly text: string; readonly canonical: string; readonly headers: Received },
): S3Error {
  const hint = hintFor(claim.signedHeaders, headers)
  return new S3Error(
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    {
      details: {
        AWSAccessKeyId: claim.accessKeyId,
        StringToSign: text,
        SignatureProvided: claim.signature.length > 8 ? `${claim.signature.slice(0, 8)}…` : claim.signature,
        CanonicalRequest: withoutSecretsByName(Buffer.from(canonical, 'latin1').toString('utf8')),
        ...(hint !== undefined && { Hint: hint }),
      },
    },
  )
}

type Received = Pick<RequestHeaders, 'get' | 'has'>

/** What a proxy between the client and the server may have done. `undefined` if the names of the headers say nothing. */
function hintFor(signed: readonly string[], headers: Received): string | undefined {
  const absent = signed.filter((name) => !headers.has(name))
  const doubtful = signed.filter((name) => isRewritten(name) && headers.has(name))
  const hints = [
    ...hostHint(headers),
    ...(absent.length > 0
      ? [`The signature covers headers that the request does not have: ${absent.join(', ')}.`]
      : []),
    ...(doubtful.length > 0 ? [`It covers headers that proxies often change: ${doubtful.join(', ')}.`] : []),
  ]
  if (hints.length === 0) return undefined
  return [...hints, 'Let the proxy pass them on as they are, or let the client not sign them.'].join(' ')
}

/** A proxy that sends another host than it received says so in `X-Forwarded-Host`, which has one host for each proxy. */
function hostHint(headers: Received): readonly string[] {
  const forwarded = headers.get('x-forwarded-host')?.split(',')[0]?.trim()
  const host = headers.get('host')
  if (!forwarded || host === undefined || forwarded.toLowerCase() === host.toLowerCase()) return []
  return [`The signature covers the Host header. It is ${host}, but the first proxy received ${forwarded}.`]
}
