/** The part of a file system that the adapters need, by shape: `node:fs/promises`, or a faulty one in a test. */
import type { PinnedFile } from './pinned-file.ts'

/** The calls to the file system that adapters make, so that tests can make each of them fail. */
export interface FileSystem {
  /** `r` reads, `r+` also writes an existing file, `wx` creates a new file to write. */
  open(path: string, flags: 'r' | 'r+' | 'wx', mode?: number): Promise<OpenFile>
  mkdir(path: string, mode: number): Promise<void>
  rename(from: string, to: string): Promise<void>
  unlink(path: string): Promise<void>
  readdir(path: string): Promise<string[]>
  stat(path: string): Promise<FileIdentity>
  /** The sizes of the files, in the order of `paths`. One call for all, because a call costs more than a query. */
  sizes(paths: readonly string[]): Promise<readonly number[]>
  statfs(path: string): Promise<FileSystemSpace>
  /** Gives a file another name, and fails with `EEXIST` if there is a file of that name. Not every file system has it. */
  link?(from: string, to: string): Promise<void>
  /** Opens a file to read it later, whatever becomes of its name. Not every file system has it. */
  pin?(path: string): PinnedFile
  /** What is in a directory, and whose each link is. Links in it are not followed. Not every file system tells. */
  entries?(path: string): Promise<DirectoryEntries>
}

/** What is in a directory. */
export interface DirectoryEntries {
  /** The user who owns the directory. */
  readonly uid: number
  readonly entries: readonly DirectoryEntry[]
}

/** A name in a directory. */
export type DirectoryEntry =
  | { readonly name: string; readonly kind: 'link'; readonly uid: number }
  | { readonly name: string; readonly kind: 'directory' | 'other' }

/** An open file; `sync` also works on a directory opened with `r`. */
export interface OpenFile {
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>
  write(
    buffer: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>
  stat(): Promise<{ readonly size: number }>
  /** fsync(2). Never called twice on a file after a failure: the second call would succeed for lost bytes. */
  sync(): Promise<void>
  /** fdatasync(2): the bytes and the size, without the times. For files only; the same rule as for `sync`. */
  datasync(): Promise<void>
  /** A synchronous read, which blocks the thread: for few bytes that are probably cached. Not every file has it. */
  readSync?(buffer: Uint8Array, offset: number, length: number, position: number): number
  close(): Promise<void>
}

/** 64-bit numbers, which a double cannot hold exactly. */
export interface FileIdentity {
  readonly dev: bigint
  readonly ino: bigint
}

export interface FileSystemSpace {
  /** Bytes per block. */
  readonly bsize: number
  readonly blocks: number
  /** Blocks that are free for this user. */
  readonly bavail: number
  /** Total number of inodes; 0 if the file system does not count them. */
  readonly files: number
  readonly ffree: number
}
