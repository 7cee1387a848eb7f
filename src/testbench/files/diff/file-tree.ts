/**
 * A tree of files as plain data: what a diff compares and `apply` writes. Paths are relative, with `/`,
 * without links in them.
 */
export type FileEntry =
  | { readonly kind: 'file'; readonly mode: number; readonly bytes: Uint8Array }
  | { readonly kind: 'symlink'; readonly target: string }
  /** Folders are included for their modes and their existence; a diff in git's format cannot express them. */
  | { readonly kind: 'folder'; readonly mode: number }

export type FileTree = ReadonlyMap<string, FileEntry>
