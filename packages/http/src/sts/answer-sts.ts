/** Answers requests of STS on the port of the S3 server. They are signed for the service `sts`. */

import { createHash } from 'node:crypto'
import type { Hashing } from '@varve/core'
import { decodeBody } from '../body/decode-body.ts'
import { verifyStsRequest } from '../authentication/verify-request.ts'
import { withoutSecrets } from '../contract/redaction.ts'
import type { Answer } from '../contract/answer.ts'
import { type Holding, RequestBudget } from '../budgets/request-budget.ts'
import type { WireRequest } from '../contract/wire-request.ts'
import { S3Error } from '../errors/errors.ts'
import { noteIdentity } from '../pipeline/note-in-trace.ts'
import type { Service } from '../pipeline/service-options.ts'
import { isStreaming, parsePayloadForm, type PayloadForm } from '../sigv4/payload-form.ts'
import { parseTarget } from '../target/parse-target.ts'
import { createRequestHeaders, type RequestHeaders } from '../target/request-headers.ts'
import { element, xmlDocument } from '../xml/write.ts'
import { stsActions } from './sts-actions.ts'
import { StsError, stsErrorAnswer, stsNamespace } from './sts-error.ts'

const bodyBytesMax = 16 * 1024
const version = '2011-06-15'

/** No operation of S3 is a POST to `/`, so the scope of the signature decides only what kind of error a client gets. */
export const isStsRequest = ({ identities }: Service, { method, rawUrl, rawHeaders }: WireRequest): boolean =>
  method === 'POST' && rawUrl === '/' && identities.hasSessions && rawHeaders.some(isOfSts)

const isOfSts = (value: string): boolean => value.includes('/sts/aws4_request')

/** Never rejects. */
export async function answerSts(
  service: Service,
  request: WireRequest,
  onError: (error: unknown) => void,
): Promise<Answer> {
  const { requestId } = request
  try {
    return await answer(service, request)
  } catch (thrown) {
    const error = withoutSecrets(thrown, request)
    onError(error)
    return stsErrorAnswer(error, requestId)
  }
}

async function answer(service: Service, request: WireRequest): Promise<Answer> {
  const { method, rawUrl, rawHeaders, requestId, trace, client } = request
  const headers = createRequestHeaders(rawHeaders)
  const budget = new RequestBudget(service.budgets, client, undefined)
  const body = await bodyOf(request.body, headers, { budget, hashing: service.hashing })
  const { rawPath, query } = parseTarget({
    rawUrl,
    hostHeader: headers.single('host') ?? '',
    hostSuffixes: service.hostSuffixes,
  })
  const now = service.now()
  const identity = verifyStsRequest({ method, rawPath, query, headers }, sha256Hex(body), { now, ...service.signers })
  noteIdentity(trace, identity)
  service.identities.begin(identity, client)
  service.rateLimits.takeOfIdentity(identity.id)
  const parameters = parametersOf(body.toString('utf8'))
  const name = parameters.get('Action') ?? ''
  const action = Object.hasOwn(stsActions, name) ? stsActions[name] : undefined
  if (action === undefined) throw new StsError('InvalidAction', 'The action is not one that this server has.')
  trace.operation = name
  for (const parameter of parameters.keys()) {
    if (parameter !== 'Action' && parameter !== 'Version' && !action.parameters.includes(parameter)) {
      throw new StsError('ValidationError', `${name} has a parameter that this server does not know.`)
    }
  }
  const result = action.run({ identity, directory: service.identities, parameters, now })
  return {
    status: 200,
    headers: { 'content-type': 'text/xml', 'cache-control': 'no-store' },
    body: xmlDocument(`${name}Response`, stsNamespace, [
      element(`${name}Result`, result),
      element('ResponseMetadata', [element('RequestId', requestId)]),
    ]),
  }
}

/** The signature covers the body, so it is read before its signer is known. Until then the address holds its bytes. */
async function bodyOf(
  source: AsyncIterable<Uint8Array>,
  headers: RequestHeaders,
  { budget, hashing }: { readonly budget: Pick<Holding, 'holdDocument'>; readonly hashing: Hashing },
): Promise<Buffer> {
  const type = (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw new StsError('ValidationError', 'A request of STS is a form: application/x-www-form-urlencoded.')
  }
  const chunks: Uint8Array[] = []
  let size = 0
  const payload = payloadFormOf(headers)
  const { bytes } = decodeBody(source, { headers, payload, digests: hashing, bytesMax: bodyBytesMax })
  for await (const chunk of bytes) {
    size += chunk.length
    if (size > bodyBytesMax) throw new S3Error('EntityTooLarge', `A request of STS may have ${bodyBytesMax} bytes.`)
    budget.holdDocument(chunk.length)
    chunks.push(Uint8Array.from(chunk))
  }
  return Buffer.concat(chunks)
}

/** Clients of STS mostly send no digest of the body, because the signature covers it. */
function payloadFormOf(headers: RequestHeaders): PayloadForm {
  const payload = parsePayloadForm(headers.single('x-amz-content-sha256') ?? 'UNSIGNED-PAYLOAD')
  if (!isStreaming(payload)) return payload
  throw new StsError('ValidationError', 'The body of a request of STS is not sent in signed chunks.')
}

function parametersOf(text: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (parameters.has(name)) throw new StsError('ValidationError', 'A parameter was given twice.')
    parameters.set(name, value)
  }
  if (parameters.get('Version') !== version) throw new StsError('InvalidAction', `The version of STS is ${version}.`)
  return parameters
}

const sha256Hex = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
