/** Moments as people write them on this machine: with its clock and its time zone. */
import { type Moment, parseLocalMoment } from '@varve/core'

/** Reads `42`, `2026-08-01T12:00:00Z`, `2h ago`, `-3d`, `yesterday 18:00`. @throws StorageError `InvalidArgument` */
export const parseMachineMoment = (text: string): Moment =>
  parseLocalMoment(text, { now: Date.now(), offsetAt: (time) => -new Date(time).getTimezoneOffset() })
