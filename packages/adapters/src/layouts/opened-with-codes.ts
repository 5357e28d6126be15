/** Gives an error code to what opening and closing throw, whatever database or disk is used. */
import type { EngineErrorCode } from '@varve/core'
import { onMedium } from '../files/errno.ts'

/** Opens it. A second call of `close` returns the result of the first. */
export async function openedWithCodes<T extends { close(): Promise<void> }>(
  otherwise: EngineErrorCode,
  what: string,
  open: () => Promise<T>,
): Promise<T> {
  const opened = await onMedium(otherwise, `Opening ${what}`, open)
  let closing: Promise<void> | undefined
  return { ...opened, close: () => (closing ??= onMedium(otherwise, `Closing ${what}`, () => opened.close())) }
}
