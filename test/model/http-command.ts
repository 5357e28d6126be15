/** The model's commands, sent as S3 requests. */
import type { ErrorCode } from '@varve/core'
import type { ModelAnswer, ModelCommand, ModelConditions, ModelResult, ModelState } from '@varve/core/model'
import type { Answer, CallOptions } from '../acceptance/support/call.ts'
import { completionBody, versioningBody } from '../acceptance/support/test-service.ts'
import type { Bindings } from './bindings.ts'

/** `ask('PUT /bucket/key', { body })` */
export type Ask = (line: string, options?: AskOptions) => Promise<Answer>

export type AskOptions = Pick<CallOptions, 'headers' | 'body'>

/** Changes a command so that HTTP can express it. */
export function asHttpCan(command: ModelCommand): ModelCommand {
  switch (command.type) {
    case 'putObject':
    case 'copyObject': {
      const { ifMatch, ...rest } = command
      return ifMatch === undefined || ifMatch === '*' ? rest : command
    }
    case 'deleteVersion': {
      const { ifMatch: _ifMatch, ...rest } = command
      return rest
    }
    case 'completeUpload': {
      const { ifMatch, partSizeMin: _min, ...rest } = command
      const condition = ifMatch === undefined || ifMatch === '*' ? {} : { ifMatch }
      const parts = rest.parts.length === 0 ? [{ number: 1, part: 'nobody' }] : rest.parts
      return { ...rest, ...condition, parts, repeatable: false }
    }
    default:
      return command
  }
}

/** What the server is to answer where the engine answers so. */
export function asHttpAnswers(state: ModelState, command: ModelCommand, answer: ModelAnswer): ModelAnswer {
  if ('error' in answer) return { error: codeOfAnswer(state, command, answer.error) }
  const { size: _size, ...code } = answer.ok
  return { ok: code }
}

function codeOfAnswer(state: ModelState, command: ModelCommand, code: ErrorCode): ErrorCode {
  const { type } = command
  if (type === 'createBucket' && code === 'BucketAlreadyOwnedByYou') return 'BucketAlreadyExists'
  if (type === 'copyObject' && code === 'MethodNotAllowed') return 'InvalidRequest'
  if (type !== 'tagObject' || code !== 'NoSuchKey') return code
  // Tags of a delete marker are refused in the same words, be it the newest or named by its id.
  const [newest] = state.buckets.get(command.bucket)?.keys.get(command.key) ?? []
  return newest === undefined ? code : 'MethodNotAllowed'
}

/** A command that S3 has. */
type S3Command = Exclude<ModelCommand, { readonly snapshot: string } | { readonly type: 'forkBucket' | 'dropFork' }>

export const isOfS3 = (command: ModelCommand): command is S3Command =>
  !('snapshot' in command || command.type === 'forkBucket' || command.type === 'dropFork')

/** Sends one command and binds what it made. */
export async function askCommand(ask: Ask, command: ModelCommand, bindings: Bindings): Promise<ModelAnswer> {
  if (!isOfS3(command)) throw new Error(`S3 has no ${command.type}.`)
  const answer = await send(ask, command, bindings)
  const code = answer.code()
  if (code !== undefined) return { error: code as ErrorCode }
  if (answer.status >= 300) throw new Error(`${answer.status} without a code: ${answer.text}`)
  return { ok: resultOf(command, answer, bindings) }
}

function send(ask: Ask, command: S3Command, bindings: Bindings): Promise<Answer> {
  const { bucket } = command
  const path = 'key' in command ? pathOf(bucket, command.key) : `/${bucket}`
  switch (command.type) {
    case 'createBucket':
      return ask(`PUT ${path}`)
    case 'deleteBucket':
      return ask(`DELETE ${path}`)
    case 'setVersioning':
      return ask(`PUT ${path}?versioning`, { body: versioningBody(command.status) })
    case 'putObject':
      return ask(`PUT ${path}`, { body: command.body, headers: conditions(command, bindings) })
    case 'copyObject': {
      const { bucket: from, key, version } = command.from
      const source = `${pathOf(from, key)}${version === undefined ? '' : `?versionId=${bindings.version(version)}`}`
      return ask(`PUT ${path}`, { headers: { 'x-amz-copy-source': source, ...conditions(command, bindings) } })
    }
    case 'deleteObject':
      return ask(`DELETE ${path}`, { headers: conditions(command, bindings) })
    case 'deleteVersion':
      return ask(`DELETE ${path}?versionId=${bindings.version(command.version)}`, {
        headers: conditions(command, bindings),
      })
    case 'tagObject': {
      const target = `${path}?tagging${command.version === undefined ? '' : `&versionId=${bindings.version(command.version)}`}`
      if (command.tag === '') return ask(`DELETE ${target}`)
      const tags = `<TagSet><Tag><Key>tag</Key><Value>${command.tag}</Value></Tag></TagSet>`
      return ask(`PUT ${target}`, { body: `<Tagging>${tags}</Tagging>` })
    }
    case 'createUpload':
      return ask(`POST ${path}?uploads`)
    case 'uploadPart':
    case 'completeUpload':
    case 'abortUpload':
      return sendOfUpload(ask, path, command, bindings)
  }
}

function sendOfUpload(
  ask: Ask,
  path: string,
  command: ModelCommand<'uploadPart' | 'completeUpload' | 'abortUpload'>,
  bindings: Bindings,
): Promise<Answer> {
  const id = `uploadId=${bindings.upload(command.upload)}`
  switch (command.type) {
    case 'uploadPart':
      return ask(`PUT ${path}?partNumber=${command.number}&${id}`, { body: command.body })
    case 'completeUpload': {
      const parts = command.parts.map(({ number, part }) => ({ PartNumber: number, ETag: `"${bindings.etag(part)}"` }))
      return ask(`POST ${path}?${id}`, { body: completionBody(parts), headers: conditions(command, bindings) })
    }
    case 'abortUpload':
      return ask(`DELETE ${path}?${id}`)
  }
}

/** S3 does not show the null version's id where there is no other. */
function resultOf({ name, ...command }: ModelCommand, { headers, text, xml }: Answer, bindings: Bindings): ModelResult {
  const versionId = headers['x-amz-version-id']
  const deleteMarker = headers['x-amz-delete-marker'] === 'true'
  switch (command.type) {
    case 'putObject':
    case 'copyObject':
    case 'completeUpload':
      bindings.bindEtag(name, unquoted(headers['etag'] ?? xml().get('ETag')))
      return added(name, versionId ?? 'null', bindings)
    case 'uploadPart':
      bindings.bindEtag(name, unquoted(headers['etag']))
      return {}
    case 'deleteObject':
      return versionId === undefined ? { deleteMarker } : { ...added(name, versionId, bindings), deleteMarker }
    case 'deleteVersion':
      return { version: command.version, deleteMarker }
    case 'createUpload':
      bindings.bindUpload(name, xml().get('UploadId') ?? text)
      return {}
    default:
      return {}
  }
}

function added(name: string, versionId: string, bindings: Bindings): ModelResult {
  bindings.bindVersion(name, versionId)
  return { version: bindings.ref(versionId) }
}

export const pathOf = (bucket: string, key: string): string =>
  `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`

export const unquoted = (etag = ''): string => etag.replace(/^"(.*)"$/, '$1')

const conditions = ({ ifMatch, ifNoneMatch }: ModelConditions, bindings: Bindings): Record<string, string> => ({
  ...(ifMatch !== undefined && { 'if-match': ifMatch === '*' ? '*' : `"${bindings.etag(ifMatch)}"` }),
  ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
})
