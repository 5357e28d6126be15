/** Whatever database or disk is beneath: what opening and closing throws has a code. */
import type { EngineErrorCode } from '@varve/core'
import { onMedium } from '../files/errno.ts'

/** Opens it. Closing it a second time answers like the first. */
export async function openedWithCodes<T extends { close(): Promise<void> }>(
  otherwise: EngineErrorCode,
  what: string,
  open: () => Promise<T>,
): Promise<T> {
  const opened = await onMedium(otherwise, `Opening ${what}`, open)
  let closing: Promise<void> | undefined
  return { ...opened, close: () => (closing ??= onMedium(otherwise, `Closing ${what}`, () => opened.close())) }
}
