/** What the page can request of the main process. Main, preload and page agree on it at compile time. */
export interface Note {
  readonly key: string
  readonly size: number
}

export interface Notes {
  list(): Promise<readonly Note[]>
  read(key: string): Promise<string>
  save(key: string, text: string): Promise<void>
  /** Undoes the last action. Resolves with the keys that changed. */
  undo(): Promise<readonly string[]>
}

export type Channel = keyof Notes
