import type { ComponentChildren } from 'preact'
import { isDropOver, type UploadTarget, useDropPlace } from './window-drops.ts'

export interface DropAreaProps {
  readonly target: UploadTarget
  readonly isOff: boolean
  readonly children: ComponentChildren
}

/** Where files that are dropped anywhere in the window go. */
export function DropArea({ target, isOff, children }: DropAreaProps) {
  useDropPlace(isOff ? { refusal: 'The past cannot be changed: go back to now to upload files.' } : { target })
  return <div class={isDropOver.value ? 'drop-area over' : 'drop-area'}>{children}</div>
}
