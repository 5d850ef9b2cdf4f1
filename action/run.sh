#!/usr/bin/env bash
# The step of action.yml: `countersign run`, with the review link in the job's summary as soon as there is one.
set -uo pipefail

# COUNTERSIGN_CLI names another program in place of the published one.
cli=(npx --yes "@countersign/cli@$INPUT_VERSION")
[ -z "${COUNTERSIGN_CLI:-}" ] || cli=("$COUNTERSIGN_CLI")

args=(--connection "$INPUT_CONNECTION" --route "$INPUT_ROUTE" --occurrence "$INPUT_OCCURRENCE" --window "$INPUT_WINDOW")
[ -z "$INPUT_SUMMARY" ] || args+=(--summary "$INPUT_SUMMARY")
[ -z "$INPUT_DOCUMENT" ] || args+=(--document "$INPUT_DOCUMENT")
[ -z "$INPUT_WAIT" ] || args+=(--wait "$INPUT_WAIT")
while IFS= read -r name; do [ -z "$name" ] || args+=(--bind "$name"); done <<<"$INPUT_BIND"
while IFS= read -r name; do [ -z "$name" ] || args+=(--bind-env "$name"); done <<<"$INPUT_BIND_ENV"

variable=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1], "utf8")).token_env ?? ""' "$INPUT_CONNECTION" 2>/dev/null)
[ -z "$variable" ] || export "$variable=$INPUT_TOKEN"
command=$INPUT_COMMAND
allow_open=$INPUT_ALLOW_OPEN
# The command has no use for them.
for name in "${!INPUT_@}"; do unset "$name"; done

say() {
  while IFS= read -r line; do
    printf '%s\n' "$line" >&2
    case $line in
    'Review link: '*)
      link=${line#Review link: }
      echo "::notice title=Countersign waits for a decision::$link" >&2
      echo "Countersign waits for a decision: <$link>" >>"$GITHUB_STEP_SUMMARY"
      ;;
    esac
  done
}

# In the job's folder: a later job on another machine needs none.
journal=${RUNNER_TEMP:?}/countersign
result=$("${cli[@]}" run "${args[@]}" --journal "$journal" --json -- bash -euo pipefail -c "$command" 2> >(say))
code=$?

case $code in
0) outcome=done ;;
2) outcome=error ;;
100) outcome=refused ;;
101) outcome=lapsed ;;
102) outcome=unknown ;;
103) outcome=used ;;
104 | 105 | 107 | 108) outcome=error ;;
106) outcome=open ;;
*) outcome=failed ;;
esac
member() { node -p 'try { JSON.parse(process.argv[1])[process.argv[2]] ?? "" } catch { "" }' "$result" "$1"; }
# A command of that code ran.
[ "$(member ran)" != true ] || [ $code -gt 99 ] || [ $code -eq 0 ] || outcome=failed
{
  echo "exit-code=$code"
  echo "outcome=$outcome"
  echo "request-id=$(member request_id)"
  echo "review-link=$(member review_link)"
} >>"$GITHUB_OUTPUT"
echo "Countersign: $outcome (exit code $code)" >>"$GITHUB_STEP_SUMMARY"
[ $code -ne 106 ] || [ "$allow_open" != true ] || exit 0
exit $code
