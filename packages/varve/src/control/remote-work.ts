/** Long work in the process that has the store open: its lines are joined to one result. */
import {
  type RestoredSetting,
  type RestoreEntry,
  type RestoreRequest,
  type RestoreResult,
  StorageError,
  type UndoRequest,
  type UndoResult,
  type VerifyOptions,
  type VerifyReport,
} from '@varve/core'
import { controlApi } from '@varve/http'
import type { ControlClient } from './control-client.ts'

/** The parts of `VerifyOptions` that mean the same in another process. */
export type RemoteVerifyOptions = Pick<VerifyOptions, 'blobs' | 'views' | 'tip' | 'signal' | 'onProgress'>

export async function verifiedOver(
  client: ControlClient,
  { signal, onProgress, ...options }: RemoteVerifyOptions,
): Promise<VerifyReport> {
  const divergences: VerifyReport['divergences'][number][] = []
  for await (const { progress, divergence, report } of client.lines(controlApi.verifyStore, options, { signal })) {
    if (progress !== undefined) onProgress?.(progress)
    if (divergence !== undefined) divergences.push(divergence)
    if (report !== undefined) return { ...report, divergences }
  }
  throw noResult('verification')
}

export async function restoredOver(
  client: ControlClient,
  { signal, onProgress, ...request }: RestoreRequest,
): Promise<RestoreResult> {
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

export async function undoneOver(
  client: ControlClient,
  { signal, onProgress, ...request }: UndoRequest,
): Promise<UndoResult> {
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
