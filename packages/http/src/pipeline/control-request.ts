/**
 * The control API on the port of the S3 server: signed like any other request, with SigV4 in the Authorization header. An
 * operation needs an action of its own, which only the policy of an identity can allow, or root.
 */
import { assertNoContent } from '../body/empty-body.ts'
import { bodyBytes, RequestBudget } from '../budgets/request-budget.ts'
import type { Answer } from '../contract/answer.ts'
import { withoutSecrets } from '../contract/redaction.ts'
import type { RequestBody } from '../contract/operation.ts'
import type { WireRequest } from '../contract/wire-request.ts'
import {
  type ControlAnswer,
  type ControlJudge,
  type ControlPlace,
  controlErrorAnswer,
  heldValue,
  isFollowing,
  type ParsedControl,
  parseControl,
  runControl,
  valueAnswer,
} from '../control/answer-control.ts'
import { type ControlError, controlErrorOf } from '../control/control-error.ts'
import type { ControlRow } from '../control/control-row.ts'
import type { AnswerHolding } from '../control/answer-holding.ts'
import { type ControlBody, tooLong } from '../control/json-body.ts'
import { callerHeader, type NamedCaller, parseNamedCaller } from '../control/named-caller.ts'
import type { Identity } from '../access/identity.ts'
import { accessDenied, isS3Error } from '../errors/errors.ts'
import { toWireError } from '../errors/wire-error.ts'
import { requestKeys } from '../policies/condition-keys.ts'
import type { VarveAction } from '../policies/actions.ts'
import { evaluatePolicy, type PolicyQuestion } from '../policies/evaluate.ts'
import { parseTarget, type Target } from '../target/parse-target.ts'
import { createRequestHeaders, type RequestHeaders } from '../target/request-headers.ts'
import { linesAsBytes } from './lines-as-bytes.ts'
import { namedIn } from '../control/named-in.ts'
import { noteIdentity, noteTarget } from './note-in-trace.ts'
import { createRequestBody } from './request-body.ts'
import { screenControl } from './screen-control.ts'
import { serverOperation } from './server-operations.ts'
import type { Service } from './service-options.ts'

/** No bucket can have this name, so no object has such a path. */
const prefix = '/-/v1/'

export const isControlRequest = ({ control }: Service, { rawUrl }: Pick<WireRequest, 'rawUrl'>): boolean =>
  control !== undefined && rawUrl.startsWith(prefix)

/** `undefined` when the host names a bucket: then the path is a key. Never rejects. */
export async function answerControlRequest(
  service: Service,
  request: WireRequest,
  onError: (error: unknown) => void,
): Promise<Answer | undefined> {
  const failed = (thrown: unknown, shown: (error: unknown) => ControlError): ControlError => {
    const error = withoutSecrets(thrown, request)
    onError(error)
    return shown(error)
  }
  try {
    const signed = verifiedOf(service, request)
    if (signed !== undefined) request.trace.isControl = true
    return signed && (await answerOf(service, request, signed, failed))
  } catch (error) {
    const { status, headers } = toWireError(error)
    const answer = answerOn(controlErrorAnswer(failed(error, wireError), status))
    return { ...answer, headers: { ...answer.headers, ...headers } }
  }
}

interface Signed {
  readonly identity: Identity
  readonly target: Target
  readonly headers: RequestHeaders
  readonly bodyOf: (budget: RequestBudget) => ControlBody
}

/** @throws S3Error `AccessDenied` unless the request is signed with SigV4 in its Authorization header */
export function verifiedOf(
  service: Service,
  { method, rawUrl, rawHeaders, body, trace, client }: WireRequest,
): Signed | undefined {
  const headers = createRequestHeaders(rawHeaders)
  const target = parseTarget({ rawUrl, hostHeader: headers.single('host') ?? '', hostSuffixes: service.hostSuffixes })
  if (target.style === 'virtual') return undefined
  const { rawPath, query } = target
  const verified = service.verify({ method, rawPath, query, hostBucket: undefined, headers }, service.now())
  if (verified.anonymous || verified.version !== 'AWS4-HMAC-SHA256' || verified.presigned) throw accessDenied()
  const { identity, payload } = verified
  noteIdentity(trace, identity)
  service.identities.begin(identity, client)
  service.rateLimits.takeOfIdentity(identity.id)
  const smallChunks = service.dialect.smallChunks === 'accepted'
  return {
    identity,
    target,
    headers,
    bodyOf(budget) {
      const how = { kind: 'document', headers, payload, seed: verified, hashing: service.hashing, budget } as const
      const received = () => createRequestBody(body, { ...how, smallChunks })
      return { stream: () => received().stream(), whole: (bytesMax) => wholeOf(received(), bytesMax) }
    },
  }
}

/** Held in the budget of the identity by the bytes that have arrived. */
async function wholeOf(body: RequestBody, bytesMax: number): Promise<Uint8Array> {
  try {
    return await body.small(bytesMax)
  } catch (error) {
    throw isS3Error(error, 'MaxMessageLengthExceeded') ? tooLong(bytesMax) : error
  }
}

type Failed = (error: unknown, shown: (error: unknown) => ControlError) => ControlError

async function answerOf(service: Service, request: WireRequest, signed: Signed, failed: Failed): Promise<Answer> {
  const { method, rawUrl: target, client, trace, requestId } = request
  const { identity, headers, bodyOf } = signed
  const budget = new RequestBudget(service.budgets, client, identity.id)
  return budget.during(async () => {
    const [accept, lastEventId] = [headers.get('accept'), headers.single('last-event-id')]
    const named = namedBy(signed)
    const sent = { method, target, body: bodyOf(budget), accept, lastEventId }
    const judge = judgeOf(service, request, signed)
    const parsed = await parseControl(sent, judge)
    if (readsNoBody(parsed.row)) await assertNoContent(request.body, headers)
    noteTarget(trace, namedIn(parsed.input))
    // Root could read the texts in the log of the server too.
    const shown = identity.root ? controlErrorOf : wireError
    try {
      const inServer = serverOperation(parsed.row)
      if (inServer !== undefined)
        return answerOn(heldValue(valueAnswer(await inServer(service, parsed.input)), parsed.row, holdingOf(budget)))
      return answerOn(
        await runControl(parsed, {
          place: (service.control as () => ControlPlace)(),
          by: named.by ?? { id: identity.id, name: identity.displayName },
          requestId: named.requestId ?? requestId,
          holding: holdingOf(budget),
          assertStillMay: () => assertStillMay(service, signed, judge, parsed),
          signal: signalOf(service, client, parsed),
          shown: (error) => failed(error, shown),
        }),
      )
    } catch (error) {
      return answerOn(controlErrorAnswer(failed(error, shown), toWireError(error).status))
    }
  })
}

/** A body in place of arguments in the query would be dropped. Reads may have one, as in HTTP. */
const readsNoBody = ({ method, input }: ControlRow): boolean =>
  input.place === 'query' && (method === 'POST' || method === 'DELETE')

/** In the budget of the identity. */
const holdingOf = (budget: RequestBudget): AnswerHolding => ({
  hold: (bytes) => budget.holdAnswer(bytes),
  count: (bytes) => budget.countAnswer(bytes),
  holdFound: (bytes) => budget.holdFound(bytes),
  holdBody: () => budget.holdBody(bodyBytes),
  isThrifty: true,
})

/** Root may do all that any actor may. @throws S3Error `AccessDenied`; StorageError `InvalidArgument` */
function namedBy({ identity, headers }: Signed): NamedCaller {
  const given = headers.single(callerHeader)
  if (given === undefined) return {}
  if (!identity.root) throw accessDenied()
  return parseNamedCaller(given)
}

/** A followed log ends when the server stops; other requests get the time that the server gives them. */
const signalOf = ({ stopping }: Service, { signal }: WireRequest['client'], parsed: ParsedControl): AbortSignal =>
  isFollowing(parsed) ? AbortSignal.any([signal, stopping.signal]) : signal

/** The operations are about the whole store. Each refusal is S3Error `AccessDenied`. */
function judgeOf(service: Service, request: WireRequest, signed: Signed): ControlJudge {
  const assertMay = (action: VarveAction | undefined) =>
    assertNamed(service, request, signed, { action, resource: 'store' })
  return {
    mayCall(row) {
      request.trace.operation = row.name
      if (row.isLocalOnly === true) throw accessDenied()
      assertMay(row.action)
      screenControl(row, signed.headers)
    },
    mayCallWith(row, input) {
      for (const action of row.alsoNeeds?.(input) ?? []) assertMay(action)
    },
  }
}

/** @throws S3Error `ExpiredToken`, `AccessDenied` */
function assertStillMay(
  service: Service,
  { identity }: Signed,
  judge: ControlJudge,
  { row, input }: ParsedControl,
): void {
  if (identity.session !== undefined) service.identities.find(identity.accessKeyId, identity.sessionToken)
  judge.mayCall(row)
  judge.mayCallWith(row, input)
}

interface Named {
  /** Absent: only root may do it. */
  readonly action: VarveAction | undefined
  readonly resource: PolicyQuestion['resource']
}

/**
 * Only root, and an identity whose own policy names the action, may use it.
 * @throws S3Error `AccessDenied`
 */
export function assertNamed(
  { options: { region }, now }: Service,
  { secure, client: { address } }: WireRequest,
  { identity, headers, target: { query } }: Pick<Signed, 'identity' | 'headers' | 'target'>,
  { action, resource }: Named,
): void {
  const ceiling = identity.session?.ceiling
  if (identity.root && ceiling === undefined) return
  const limits = [...(identity.root ? [] : [identity.policy]), ...(ceiling === undefined ? [] : [ceiling])]
  if (action === undefined) throw accessDenied()
  const requestContext = { identity, signed: 'REST-HEADER', headers, query, secure, region, address, now } as const
  const named = resource === 'store' ? {} : resource
  const keys = requestKeys(requestContext, { bucketOwner: undefined, permission: { action, ...named } })
  const question = { action, resource, identity, keys }
  for (const policy of limits) {
    if (policy === undefined || evaluatePolicy(policy, question) !== 'allow') throw accessDenied()
  }
}

/** Errors of the engine without their own texts, as S3 clients see them. */
function wireError(error: unknown): ControlError {
  const { code, message, details } = toWireError(error)
  return { code, message, details }
}

/** The answer of the control API and of the log to an error that came before anything of the store. */
export function failureAnswer(error: unknown): Answer {
  const { code, message, details, status, headers } = toWireError(error)
  const answer = answerOn(controlErrorAnswer({ code, message, details }, status))
  return { ...answer, headers: { ...answer.headers, ...headers } }
}

function answerOn(answer: ControlAnswer): Answer {
  const { status, headers } = answer
  if (answer.gives === 'value') return { status, headers, body: answer.text }
  if (answer.gives === 'lines') return { status, headers, body: linesAsBytes(answer.lines) }
  return { status, headers, body: contentOf(answer.content), contentLength: answer.content.size }
}

async function* contentOf({
  body,
  close,
}: Extract<ControlAnswer, { readonly gives: 'bytes' }>['content']): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } finally {
    await close()
  }
}
