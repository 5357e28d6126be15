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

const { scratch: _scratch, ...verifying } = verifyFields
const attachedVerifyOptions = schema.object<AttachedVerifyOptions>(verifying)

export async function verifiedOver(
  client: ControlClient,
  given: AttachedVerifyOptions | undefined,
): Promise<VerifyReport> {
  const { signal, onProgress, onDivergence, ...options } = optionsOf(attachedVerifyOptions, given)
  const divergences: VerifyReport['divergences'][number][] = []
  for await (const { progress, divergence, report } of client.lines(controlApi.verifyStore, options, { signal })) {
    if (progress !== undefined) onProgress?.(progress)
    if (divergence !== undefined) {
      divergences.push(divergence)
      onDivergence?.(divergence)
    }
    if (report !== undefined) return { ...report, divergences }
  }
  throw noResult('verification')
}

export async function restoredOver(client: ControlClient, given: RestoreRequest): Promise<RestoreResult> {
  const { signal, onProgress, ...request } = schema.checked('request', callArguments.restoreRequest, given)
  const [entries, erased, conflicts]: [RestoreEntry[], RestoreEntry[], RestoreEntry[]] = [[], [], []]
  const settings: RestoredSetting[] = []
  const settingsLeft: RestoredSetting['setting'][] = []
  for await (const line of client.lines(controlApi.restoreObjects, request, { signal })) {
    if (line.progress !== undefined) onProgress?.(line.progress)
    if (line.setting !== undefined) settings.push(line.setting)
    if (line.settingLeft !== undefined) settingsLeft.push(line.settingLeft)
    if (line.entry !== undefined) entries.push(line.entry)
    if (line.erased !== undefined) erased.push(line.erased)
    if (line.conflict !== undefined) conflicts.push(line.conflict)
    if (line.result !== undefined) return { ...line.result, settings, settingsLeft, entries, erased, conflicts }
  }
  throw noResult('restore')
}

export async function erasedOver(client: ControlClient, given: EraseRequest): Promise<EraseResult> {
  const { signal, onProgress, ...request } = schema.checked('request', callArguments.eraseRequest, given)
  const [entries, refused]: [EraseResult['entries'][number][], EraseResult['refused'][number][]] = [[], []]
  for await (const line of client.lines(controlApi.eraseVersions, request, { signal })) {
    if (line.progress !== undefined) onProgress?.(line.progress)
    if (line.entry !== undefined) entries.push(line.entry)
    if (line.refused !== undefined) refused.push(line.refused)
    if (line.result !== undefined) return { ...line.result, entries, refused }
  }
  throw noResult('erasure')
}

export async function mergedOver(client: ControlClient, given: MergeRequest): Promise<MergeResult> {
  const { signal, onProgress, ...request } = schema.checked('request', callArguments.mergeRequest, given)
  const [entries, refused, erased]: [RestoreEntry[], RestoreEntry[], RestoreEntry[]] = [[], [], []]
  const conflicts: MergeResult['conflicts'][number][] = []
  for await (const line of client.lines(controlApi.mergeFork, request, { signal })) {
    if (line.progress !== undefined) onProgress?.(line.progress)
    if (line.entry !== undefined) entries.push(line.entry)
    if (line.conflict !== undefined) conflicts.push(line.conflict)
    if (line.refused !== undefined) refused.push(line.refused)
    if (line.erased !== undefined) erased.push(line.erased)
    if (line.result !== undefined) return { ...line.result, entries, conflicts, refused, erased }
  }
  throw noResult('merge')
}

export async function undoneOver(client: ControlClient, given: UndoRequest): Promise<UndoResult> {
  const { signal, onProgress, ...request } = schema.checked('request', callArguments.undoRequest, given)
  const entries: UndoResult['entries'][number][] = []
  const conflicts: UndoResult['conflicts'][number][] = []
  const erased: UndoResult['erased'][number][] = []
  const left: UndoResult['left'][number][] = []
  for await (const line of client.lines(controlApi.undoEvents, request, { signal })) {
    if (line.progress !== undefined) onProgress?.(line.progress)
    if (line.entry !== undefined) entries.push(line.entry)
    if (line.conflict !== undefined) conflicts.push(line.conflict)
    if (line.erased !== undefined) erased.push(line.erased)
    if (line.left !== undefined) left.push(line.left)
    if (line.result !== undefined) return { ...line.result, entries, conflicts, erased, left }
  }
  throw noResult('undo')
}

const noResult = (work: string): StorageError =>
  new StorageError('InternalError', `The ${work} ended without a result.`)
