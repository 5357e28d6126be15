import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { showToast } from '../components/toasts.tsx'
import { addUploads } from '../uploads/upload-queue.ts'
import { filesIn, type NamedFile } from './dropped-files.ts'

export interface UploadTarget {
  readonly bucket: string
  readonly prefix: string
}

export interface DropAreaProps {
  readonly target: UploadTarget
  readonly isOff: boolean
  readonly children: ComponentChildren
}

/** A place to drop files and folders. */
export function DropArea({ target, isOff, children }: DropAreaProps) {
  const [isOver, setOver] = useState(false)
  const drop = async (event: DragEvent): Promise<void> => {
    event.preventDefault()
    setOver(false)
    if (event.dataTransfer === null || isOff) return
    try {
      uploadFiles(target, await filesIn(event.dataTransfer))
    } catch {
      showToast({ kind: 'failed', text: 'The browser could not read what you dropped. Use “Upload” instead.' })
    }
  }
  return (
    <div
      class={isOver ? 'drop-area over' : 'drop-area'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(!isOff)
      }}
      onDragLeave={(event) => {
        if (event.currentTarget === event.target) setOver(false)
      }}
      onDrop={(event) => void drop(event)}
    >
      {children}
    </div>
  )
}

export function uploadFiles({ bucket, prefix }: UploadTarget, files: readonly NamedFile[]): void {
  addUploads(files.map(({ path, file }) => ({ file, object: { bucket, key: prefix + path } })))
}
