/**
 * A tree of files as plain data: what a diff compares and `apply` writes. Paths are relative, with `/`,
 * without links in them.
 */
export type FileEntry =
  | { readonly kind: 'file'; readonly mode: number; readonly bytes: Uint8Array }
  | { readonly kind: 'symlink'; readonly target: string }
  /**
   * Folders are in it for their modes and for being there at all; a diff in git's format has no word for
   * them.
   */
  | { readonly kind: 'folder'; readonly mode: number }

export type FileTree = ReadonlyMap<string, FileEntry>
