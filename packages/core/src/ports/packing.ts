/** How bytes of a replica are packed. */
export type PackingForm = 'plain' | 'deflate' | 'zstd'

/** A port: makes bytes shorter, without loss. */
export interface Packing {
  /** Resolves with bytes in any of the forms. */
  pack(bytes: Uint8Array): Promise<{ readonly form: PackingForm; readonly bytes: Uint8Array }>
  /**
   * The bytes that were packed, of which there are `length`. Rejects with `UnsupportedFormat` for a form that this runtime does not
   * know, and with any other error for bytes that `pack` does not make.
   */
  unpack(form: PackingForm, bytes: Uint8Array, length: number): Promise<Uint8Array>
}
