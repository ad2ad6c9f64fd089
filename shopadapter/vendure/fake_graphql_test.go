package vendure_test

import (
	"mime/multipart"
	"net/http"

	"github.com/vektah/gqlparser/v2/validator"

	"github.com/pubsync/pubsync/shopadapter/internal/graphqlfake"
)

type (
	object    = graphqlfake.Object
	arguments = graphqlfake.Arguments
)

// run answers one request: the HTTP status and what is encoded as its body.
func (f *fakeShop) run(r *http.Request, asked request, header http.Header) (int, object) {
	document, err := f.schema.Document(asked.Query)
	if err != nil {
		return http.StatusBadRequest, failed(graphqlfake.Faultf("GRAPHQL_VALIDATION_FAILED", "%v", err))
	}
	if len(document.Operations) != 1 {
		return http.StatusBadRequest, failed(graphqlfake.Faultf("BAD_REQUEST", "one operation at a time"))
	}
	operation := document.Operations[0]
	variables, err := validator.VariableValues(f.schema.Schema, operation, asked.Variables)
	if err != nil {
		return http.StatusOK, failed(graphqlfake.Faultf("BAD_USER_INPUT", "%v", err))
	}
	known := f.session(r)
	ctx := &execution{shop: f, variables: variables, files: asked.files, header: header}
	data := object{}
	for _, field := range graphqlfake.Fields(operation.SelectionSet, nil) {
		if !known && field.Name != "login" {
			return http.StatusOK, failed(
				graphqlfake.Faultf("FORBIDDEN", "You are not currently authorized to perform this action"),
			)
		}
		value, err := ctx.resolve(operation.Operation, field.Name, field.ArgumentMap(variables))
		if err == nil {
			data[field.Alias], err = f.schema.Project(value, field.SelectionSet, variables)
		}
		if err != nil {
			return http.StatusOK, failed(err)
		}
	}
	return http.StatusOK, object{"data": data}
}

func (f *fakeShop) session(r *http.Request) bool {
	if f.tokens[r.Header.Get("Authorization")] && !f.cookiesOnly {
		return true
	}
	cookie, err := r.Cookie("session")
	return err == nil && f.tokens["Bearer "+cookie.Value]
}

func failed(err error) object {
	answer := graphqlfake.Failed(err)
	answer["data"] = nil
	return answer
}

type execution struct {
	shop      *fakeShop
	variables map[string]any
	files     map[string]*multipart.FileHeader
	header    http.Header
}
