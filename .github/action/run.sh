# Runs the command of the action. If it fails, records the other command on a tape. Ends with 0: finish.sh reports the code.
set -uo pipefail
bash -c "$REPRISE_ACTION_RUN"
code=$?
echo "code=$code" >>"$GITHUB_OUTPUT"
if [ "$code" -ne 0 ] && [ -n "${REPRISE_ACTION_RECORD:-}" ]; then
  mkdir -p .reprise
  tape=".reprise/failed.tape"
  read -ra words <<<"$REPRISE_ACTION_RECORD"
  npx reprise record --force --out "$tape" -- "${words[@]}"
  if [ -f "$tape" ]; then
    echo "tape=$tape" >>"$GITHUB_OUTPUT"
    printf '### Reprise\n\nThe command failed. Its tape is in the artefacts: `npx reprise replay %s`\n\n' "$tape" >>"$GITHUB_STEP_SUMMARY"
  fi
fi
exit 0
