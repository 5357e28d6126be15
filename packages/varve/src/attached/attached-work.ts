/** Long work in the process that has the store open: its lines are joined to one result. */
import {
  type RestoredSetting,
  callArguments,
  type EraseRequest,
  type EraseResult,
  optionsOf,
  type MergeRequest,
  type MergeResult,
  type RestoreEntry,
  type RestoreRequest,
  type RestoreResult,
  schema,
  StorageError,
  type UndoRequest,
  type UndoResult,
  verifyFields,
  type VerifyOptions,
  type VerifyReport,
} from '@varve/core'
import { controlApi } from '@varve/http'
import type { ControlClient } from '../control/control-client.ts'

/** The parts of `VerifyOptions` that mean the same in another process. */
export type AttachedVerifyOptions = Omit<VerifyOptions, 'scratch'>

const attachedVerifyOptions = schema.object<AttachedVerifyOptions>(verifyFields)

interface WorkLine {
  readonly progress?: unknown
}

/** Passes every line to `take`, until it returns the result. */
async function resultOf<L extends WorkLine, R>(
  work: string,
  lines: AsyncIterable<L>,
  onProgress: ((progress: NonNullable<L['progress']>) => void) | undefined,
  take: (line: L) => R | undefined,
): Promise<R> {
  for await (const line of lines) {
    if (line.progress !== undefined) onProgress?.(line.progress as NonNullable<L['progress']>)
    const result = take(line)
    if (result !== undefined) return result
  }
  throw new StorageError('InternalError', `The ${work} ended without a result.`)
}

/** Adds a value, if the line has it, to those of its kind. */
function add<T>(to: T[], value: T | undefined): void {
  if (value !== undefined) to.push(value)
}

export async function verifiedOver(
  client: ControlClient,
  given: AttachedVerifyOptions | undefined,
): Promise<VerifyReport> {
  const { signal, onProgress, onDivergence, ...options } = optionsOf(attachedVerifyOptions, given)
  const divergences: VerifyReport['divergences'][number][] = []
  const lines = client.lines(controlApi.verifyStore, options, { signal })
  return resultOf('verification', lines, onProgress, ({ divergence, report }) => {
    add(divergences, divergence)
    if (divergence !== undefined) onDivergence?.(divergence)
    return report && { ...report, divergences }
  })
}

export async function restoredOver(client: ControlClient, given: RestoreRequest): Promise<RestoreResult> {
  const { signal, onProgress, ...request } = schema.checked('request', callArguments.restoreRequest, given)
  const [entries, erased, conflicts]: [RestoreEntry[], RestoreEntry[], RestoreEntry[]] = [[], [], []]
  const settings: RestoredSetting[] = []
  const settingsLeft: RestoredSetting['setting'][] = []
  const lines = client.lines(controlApi.restoreObjects, request, { signal })
  return resultOf('restore', lines, onProgress, (line) => {
    add(settings, line.setting)
    add(settingsLeft, line.settingLeft)
    add(entries, line.entry)
    add(erased, line.erased)
    add(conflicts, line.conflict)
    return line.result && { ...line.result, settings, settingsLeft, entries, erased, conflicts }
  })
}

export async function erasedOver(client: ControlClient, given: EraseRequest): Promise<EraseResult> {
  const { signal, onProgress, ...request } = schema.checked('request', callArguments.eraseRequest, given)
  const [entries, refused]: [EraseResult['entries'][number][], EraseResult['refused'][number][]] = [[], []]
  const lines = client.lines(controlApi.eraseVersions, request, { signal })
  return resultOf('erasure', lines, onProgress, (line) => {
    add(entries, line.entry)
    add(refused, line.refused)
    return line.result && { ...line.result, entries, refused }
  })
}

export async function mergedOver(client: ControlClient, given: MergeRequest): Promise<MergeResult> {
  const { signal, onProgress, ...request } = schema.checked('request', callArguments.mergeRequest, given)
  const [entries, refused, erased]: [RestoreEntry[], RestoreEntry[], RestoreEntry[]] = [[], [], []]
  const conflicts: MergeResult['conflicts'][number][] = []
  const lines = client.lines(controlApi.mergeFork, request, { signal })
  return resultOf('merge', lines, onProgress, (line) => {
    add(entries, line.entry)
    add(conflicts, line.conflict)
    add(refused, line.refused)
    add(erased, line.erased)
    return line.result && { ...line.result, entries, conflicts, refused, erased }
  })
}

export async function undoneOver(client: ControlClient, given: UndoRequest): Promise<UndoResult> {
  const { signal, onProgress, ...request } = schema.checked('request', callArguments.undoRequest, given)
  const entries: UndoResult['entries'][number][] = []
  const conflicts: UndoResult['conflicts'][number][] = []
  const erased: UndoResult['erased'][number][] = []
  const left: UndoResult['left'][number][] = []
  const lines = client.lines(controlApi.undoEvents, request, { signal })
  return resultOf('undo', lines, onProgress, (line) => {
    add(entries, line.entry)
    add(conflicts, line.conflict)
    add(erased, line.erased)
    add(left, line.left)
    return line.result && { ...line.result, entries, conflicts, erased, left }
  })
}
